package import TapelineBase
internal import TapelineHAR

/// How a percentile of a time has changed, in milliseconds. Its interval is that of two samples without an order; if a request
/// became slower, `TimeJudgement` says so.
package struct TimeChange: Sendable, Hashable {
  package let part: TimedPart
  package let percent: Double
  package let before: Double
  package let after: Double
  /// Exchanges that had this time.
  package let beforeCount: Int
  package let afterCount: Int
  /// The interval of `after` − `before`; `nil` if there are too few exchanges to tell.
  package let interval: ConfidenceInterval?

  package var difference: Double { after - before }

  /// In percent of the value before; `nil` if that was 0.
  package var relative: Double? { before > 0 ? difference / before * 100 : nil }

  package var isSignificant: Bool { interval?.excludesZero ?? false }

  static let percents = [50.0, 95.0]

  /// - Parameter name: the name of the times, which makes the draws of the interval reproducible.
  /// - Returns: `nil` when one side never had this time.
  init?(_ part: TimedPart, percent: Double, before: OrderedSample, after: OrderedSample, naming name: String) {
    let beforeValues = before.sorted
    let afterValues = after.sorted
    guard !beforeValues.isEmpty, !afterValues.isEmpty else { return nil }
    self.part = part
    self.percent = percent
    self.before = beforeValues[PercentileEstimator.rank(percent, of: beforeValues.count)]
    self.after = afterValues[PercentileEstimator.rank(percent, of: afterValues.count)]
    beforeCount = before.count
    afterCount = after.count
    var bootstrap = PercentileBootstrap(percent: percent, naming: "\(name) \(part.name)")
    interval = bootstrap.changes(before: beforeValues, after: afterValues)?.interval(level: 0.95)
  }

  /// The changes of all times that both sides had, in the order of the phases.
  static func all(before: TimeSamples, after: TimeSamples, naming name: String) -> [TimeChange] {
    TimedPart.allCases.flatMap { part in
      percents.compactMap { percent in
        TimeChange(part, percent: percent, before: before[part], after: after[part], naming: name)
      }
    }
  }
}

/// The part of an exchange that is timed: the whole, a phase of it, or the events of a stream.
package enum TimedPart: Hashable, Sendable, CaseIterable {
  case total
  case phase(Phase)
  case stream(StreamTime)

  /// The figures of one stream, by the names of their fields.
  package enum StreamTime: String, Hashable, Sendable, CaseIterable {
    case first = "event.first"
    case medianGap = "event.gap.p50"
    case longestGap = "event.gap.max"
  }

  package static var allCases: [TimedPart] {
    [.total] + Phase.allCases.map(TimedPart.phase) + StreamTime.allCases.map(TimedPart.stream)
  }

  package var name: String {
    switch self {
    case .total: "total"
    case .phase(let phase): phase.name
    case .stream(let time): time.rawValue
    }
  }

  /// A part by its name; `nil` if no part has that name.
  init?(name: String) {
    guard let part = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = part
  }

  /// From 0, without gaps.
  var index: Int {
    switch self {
    case .total: 0
    case .phase(let phase): phase.rawValue + 1
    case .stream(.first): Phase.allCases.count + 1
    case .stream(.medianGap): Phase.allCases.count + 2
    case .stream(.longestGap): Phase.allCases.count + 3
    }
  }
}

/// Samples of the times of some exchanges, one for each part.
struct TimeSamples: Sendable {
  private var samples: [OrderedSample]

  /// - Parameter limit: the maximum number of times kept for each phase.
  init(limit: Int) {
    samples = TimedPart.allCases.map { _ in OrderedSample(limit: limit) }
  }

  subscript(part: TimedPart) -> OrderedSample { samples[part.index] }

  /// - Parameter place: of the exchange among those of its request, from 0.
  mutating func add(_ entry: HAREntry, at place: Int) {
    if let total = entry.total { add(total, to: .total, at: place) }
    let durations = PhaseDurations(entry)
    for phase in Phase.allCases {
      if let duration = durations[phase] { add(duration, to: .phase(phase), at: place) }
    }
  }

  /// The times of a stream, which are what they are however it ended.
  mutating func add(_ stream: StreamTiming, at place: Int) {
    let times: [(TimedPart.StreamTime, Double?)] = [
      (.first, stream.first), (.medianGap, stream.gap(50)), (.longestGap, stream.gap(100)),
    ]
    for (part, time) in times { if let time { add(time, to: .stream(part), at: place) } }
  }

  /// A day: nothing in a capture is longer, and absurd values in a foreign log must stay in range.
  private static let longest = 86_400_000.0

  private mutating func add(_ milliseconds: Double, to part: TimedPart, at place: Int) {
    guard milliseconds.isFinite, milliseconds >= 0 else { return }
    samples[part.index].add(min(milliseconds, Self.longest), at: place)
  }
}
