internal import TapelineHAR

/// How a percentile of a time has changed, in milliseconds.
package struct TimeChange: Sendable, Hashable {
  package let part: TimedPart
  package let percent: Double
  package let before: Double
  package let after: Double
  /// Exchanges that had this time.
  package let beforeCount: Int
  package let afterCount: Int
  /// Of `after` − `before`; `nil` when there are too few exchanges to tell.
  package let interval: ConfidenceInterval?
  /// Whether even the 99 % interval excludes zero. It is used for single requests: there are many of them, and with the 95 %
  /// interval more of them would be called slower or faster by chance.
  package let isCertain: Bool

  package var difference: Double { after - before }

  /// In percent of the value before; `nil` if that was 0.
  package var relative: Double? { before > 0 ? difference / before * 100 : nil }

  package var isSignificant: Bool { interval?.excludesZero ?? false }

  static let percents = [50.0, 95.0]

  /// - Parameter name: the name of the times, which makes the draws of the interval reproducible.
  /// - Returns: `nil` when one side never had this time.
  init?(_ part: TimedPart, percent: Double, before: ReservoirSample, after: ReservoirSample, naming name: String) {
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
    let changes = bootstrap.changes(before: beforeValues, after: afterValues)
    interval = changes?.interval(level: 0.95)
    isCertain = changes?.interval(level: 0.99).excludesZero ?? false
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

/// The part of an exchange that is timed: the whole, or a phase of it.
package enum TimedPart: Hashable, Sendable, CaseIterable {
  case total
  case phase(Phase)

  package static var allCases: [TimedPart] {
    [.total] + Phase.allCases.map(TimedPart.phase)
  }

  package var name: String {
    switch self {
    case .total: "total"
    case .phase(let phase): phase.name
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
    }
  }
}

/// Samples of the times of some exchanges, one for each phase.
struct TimeSamples: Sendable {
  private var reservoirs: [ReservoirSample]

  /// - Parameter limit: the maximum number of times kept for each phase.
  init(limit: Int) {
    reservoirs = TimedPart.allCases.map { _ in ReservoirSample(limit: limit) }
  }

  subscript(part: TimedPart) -> ReservoirSample { reservoirs[part.index] }

  mutating func add(_ entry: HAREntry) {
    if let total = entry.total { add(total, to: .total) }
    let durations = PhaseDurations(entry)
    for phase in Phase.allCases {
      if let duration = durations[phase] { add(duration, to: .phase(phase)) }
    }
  }

  /// A day: nothing in a capture is longer, and absurd values in a foreign log must stay in range.
  private static let longest = 86_400_000.0

  private mutating func add(_ milliseconds: Double, to part: TimedPart) {
    guard milliseconds.isFinite, milliseconds >= 0 else { return }
    reservoirs[part.index].add(min(milliseconds, Self.longest))
  }
}

/// A random sample of a stream of numbers, each with the same chance (Vitter's algorithm R), so that memory has a bound.
struct ReservoirSample: Sendable {
  private(set) var values: [Float] = []
  /// The number of values seen.
  private(set) var count = 0
  private let limit: Int
  private var generator: SeededGenerator

  init(limit: Int) {
    self.limit = limit
    generator = SeededGenerator(seed: UInt64(limit))
  }

  var isComplete: Bool { count == values.count }

  mutating func add(_ value: Double) {
    count += 1
    if values.count < limit {
      values.append(Float(value))
      return
    }
    let index = Int.random(in: 0..<count, using: &generator)
    if index < limit { values[index] = Float(value) }
  }

  /// In ascending order, to the microsecond.
  var sorted: [Double] {
    values.sorted().map { (Double($0) * 1_000).rounded() / 1_000 }
  }
}
