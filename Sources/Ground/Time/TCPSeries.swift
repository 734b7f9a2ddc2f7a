package import TapelineSystem

/// The kernel's figures of a connection at an instant, and whether we were reading then.
package struct TCPSample: Hashable, Sendable {
  package let instant: MonotonicInstant
  package let statistics: TCPStatistics
  /// We left input in the kernel, because its reader is slower than the peer.
  package let isPaused: Bool

  package init(instant: MonotonicInstant, statistics: TCPStatistics, isPaused: Bool) {
    self.instant = instant
    self.statistics = statistics
    self.isPaused = isPaused
  }
}

/// The samples of a connection, at most 64 (8 KiB): the newest are all here; of older ones, the fewer the older they are. The
/// counters in them grow over the connection's life, so differences stay exact whatever was left out between two samples.
package struct TCPSeries: Sendable {
  package private(set) var samples: [TCPSample] = []

  static let limit = 64
  private static let newest = 16

  package init() {}

  package var last: TCPSample? { samples.last }

  package mutating func append(_ sample: TCPSample) {
    if samples.count == Self.limit { thin() }
    samples.append(sample)
  }

  /// Drops every second of the older samples; the first stays.
  private mutating func thin() {
    let older = samples.count - Self.newest
    samples = samples.indices.filter { $0 >= older || $0.isMultiple(of: 2) }.map { samples[$0] }
  }

  /// The samples between two instants, without both. Nearly always there are none: an exchange is shorter than the time between
  /// two samples.
  func samples(after start: MonotonicInstant, before end: MonotonicInstant) -> ArraySlice<TCPSample> {
    var upper = samples.count
    while upper > 0, samples[upper - 1].instant >= end { upper -= 1 }
    var lower = upper
    while lower > 0, samples[lower - 1].instant > start { lower -= 1 }
    return samples[lower..<upper]
  }
}

/// A connection during one exchange.
package struct TCPHistory: Sendable {
  private let known: Known

  /// Nearly every exchange is over before the kernel is asked again: it has one sample, and no array.
  private enum Known {
    case one(TCPSample)
    case several([TCPSample])
  }

  /// - Parameter series: the connection's; `nil`: none was kept.
  package init(from start: TCPSample, _ series: TCPSeries?, to end: TCPSample) {
    guard end.instant > start.instant else {
      known = .one(start)
      return
    }
    let between = series?.samples(after: start.instant, before: end.instant) ?? []
    known = .several(between.isEmpty ? [start, end] : [start] + between + [end])
  }

  /// In order of time: the newest knowledge when the exchange began, what was taken meanwhile (nothing, if the exchange was over
  /// before the next sample was due), and the newest at its end, unless the kernel was not asked in between.
  package var samples: [TCPSample] {
    switch known {
    case .one(let sample): [sample]
    case .several(let samples): samples
    }
  }

  package var start: TCPSample {
    switch known {
    case .one(let sample): sample
    case .several(let samples): samples[0]
    }
  }

  package var end: TCPSample {
    switch known {
    case .one(let sample): sample
    case .several(let samples): samples[samples.count - 1]
    }
  }

  private var count: Int {
    switch known {
    case .one: 1
    case .several(let samples): samples.count
    }
  }

  /// Whether the kernel was asked between the exchange's beginning and its end.
  package var hasChanges: Bool { count > 1 }

  /// Whether a sample was taken between start and end.
  package var isSeries: Bool { count > 2 }

  /// The bytes of memory that it takes.
  package var memorySize: Int { count * (MemoryLayout<TCPSample>.stride + TCPStatistics.memorySize) }

  /// Whether more bytes went out than came in.
  package var sends: Bool {
    let (before, after) = (start.statistics.traffic, end.statistics.traffic)
    return after.bytesAcknowledged &- before.bytesAcknowledged > after.bytesReceived &- before.bytesReceived
  }
}
