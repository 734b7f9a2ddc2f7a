internal import Synchronization
internal import TapelineCore

/// The traffic counts: the recorder's thread updates them, any thread may read them.
final class TrafficBoard: Sendable {
  private let counted = Mutex(TrafficStatistics())

  func count(_ record: borrowing ExchangeRecord, totalMicroseconds: Int64) {
    counted.withLock { $0.count(record, totalMicroseconds: totalMicroseconds) }
  }

  var traffic: TrafficStatistics {
    counted.withLock(\.self)
  }
}
