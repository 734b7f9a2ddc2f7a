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
