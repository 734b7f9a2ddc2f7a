internal import Synchronization
internal import TapelineCore

/// Where the recorder's thread counts what passed, and whoever wants to know looks.
final class TrafficBoard: Sendable {
  private let counted = Mutex(TrafficStatistics())

  func count(_ record: borrowing ExchangeRecord, totalMicroseconds: Int64) {
    counted.withLock { $0.count(record, totalMicroseconds: totalMicroseconds) }
  }

  var traffic: TrafficStatistics {
    counted.withLock(\.self)
  }
}
