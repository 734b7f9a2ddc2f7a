internal import TapelineBase
package import TapelineHAR

/// How regular a stream was: when the first content came, and the gaps between the events that the server sent.
package struct StreamTiming: Hashable, Sendable {
  /// A gap, and the event that ended it.
  package struct Gap: Hashable, Sendable {
    /// The place among the events of the server, from 0.
    package let index: Int
    package let milliseconds: Double
  }

  /// Events that the server sent, also those whose times are not known.
  package let count: Int
  /// Milliseconds from the end of the request to the first event that carries content; `nil` if it is not known.
  package let first: Double?
  /// Between neighbours whose times are both known, in their order.
  package let gaps: [Gap]
  /// From the first to the last event whose time is known.
  private let length: Double
  /// The lengths of the gaps, in ascending order.
  private let sortedGaps: [Double]

  /// A gap above this is a stall if nobody says otherwise, in milliseconds.
  package static let stall = 1_000.0
  /// Few pieces have more events if the server sends them as it makes them.
  private static let manyPerPiece = 4.0
  /// Milliseconds between pieces that were collected, at least: events of fast servers come together, too.
  private static let waitBetweenPieces = 5.0

  package init(_ stream: RecordedStream, of entry: HAREntry) {
    let received = stream.received
    count = received.count + stream.leftOut
    let asked = Self.endOfRequest(of: entry)
    first = received.first { $0.hasContent }?.time.map { max(0, $0 - asked) }
    var gaps: [Gap] = []
    for (index, event) in received.enumerated().dropFirst() {
      guard let time = event.time, let before = received[index - 1].time else { continue }
      gaps.append(Gap(index: index, milliseconds: max(0, time - before)))
    }
    self.gaps = gaps
    sortedGaps = gaps.map(\.milliseconds).sorted()
    let times = received.compactMap(\.time)
    length = (times.last ?? 0) - (times.first ?? 0)
  }

  /// `nil` for an exchange that is no stream.
  package init?(_ entry: HAREntry) {
    guard let stream = RecordedStream(entry) else { return nil }
    self.init(stream, of: entry)
  }

  /// Milliseconds from the start of the exchange until the request had gone out.
  static func endOfRequest(of entry: HAREntry) -> Double {
    if let mark = entry.custom[.events]?["sentLast"]?.double { return mark / 1_000 }
    let phases = PhaseDurations(entry)
    return [Phase.client, .proxy, .blocked, .dns, .connect, .send].reduce(0) { $0 + (phases[$1] ?? 0) }
  }

  /// Gaps above `limit` milliseconds.
  package func stalls(above limit: Double = StreamTiming.stall) -> Int { gaps.count { $0.milliseconds > limit } }

  /// Events per second, from the first to the last.
  package var rate: Double? { length > 0 && !gaps.isEmpty ? Double(gaps.count) / length * 1_000 : nil }

  /// The smallest gap that `percent` % of the gaps do not exceed.
  package func gap(_ percent: Double) -> Double? {
    sortedGaps.isEmpty ? nil : sortedGaps[PercentileEstimator.rank(percent, of: sortedGaps.count)]
  }

  /// The longest gaps first, of equal ones the earlier.
  package func longest(_ count: Int) -> [Gap] {
    Array(gaps.sorted { ($1.milliseconds, $0.index) < ($0.milliseconds, $1.index) }.prefix(count))
  }

  /// Whether something on the way may have collected events: the server's own pieces have one or a few.
  func mayBeBuffered(_ stream: RecordedStream) -> Bool {
    // One write of many records has small gaps of its own.
    let isSlow = sortedGaps.last == 0 || length >= Self.waitBetweenPieces * Double(stream.pieceCount - 1)
    return isSlow && stream.pieceCount > 0 && count >= 8 && Double(count) >= Self.manyPerPiece * Double(stream.pieceCount)
  }
}
