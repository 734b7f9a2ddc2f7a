internal import TapelineHAR
internal import TapelineBase

/// `p95(wait) < 200ms`: a measure is compared with a number, or with a share of its value in a baseline.
struct ComparisonCheck: StatementCheck {
  private let measure: AssertionMeasure
  private let order: AssertionOrder
  private let bound: AssertionBound
  private let baseline: Double?
  private var running: RunningMeasure
  private var offenders: OffenderList
  /// Exchanges that failed, so that they have no time to compare.
  private var failures: OffenderList
  /// How long a failed exchange lasted at most.
  private var longestFailure = 0.0
  /// Those that went past the proxy.
  private var programs: [String] = []

  /// - Parameters:
  ///   - baseline: the measure's value in the baseline; `nil` when there was nothing to measure, or no baseline.
  ///   - filter: the condition of all exchanges that will come.
  init(
    _ measure: AssertionMeasure, _ order: AssertionOrder, _ bound: AssertionBound, baseline: Double?, filter: Query?,
    naming limit: Int
  ) {
    self.measure = measure
    self.order = order
    self.bound = bound
    self.baseline = baseline
    running = RunningMeasure(measure, filter: filter)
    let ranking: OffenderList.Ranking =
      switch measure {
      case .aggregate: order.blames
      case .count, .ratio, .bypassed: .first
      }
    offenders = OffenderList(limit: limit, ranking: ranking)
    failures = OffenderList(limit: limit, ranking: .largest)
  }

  /// The limit of the measure; `nil` if the baseline has no value.
  private var limit: Double? {
    switch bound {
    case .number(let number): number
    case .share(let share, _): baseline.map { $0 * share }
    }
  }

  // MARK: Exchanges

  mutating func add(_ entry: HAREntry, number: Int) {
    let contribution = running.add(entry, number: number)
    if case .failure(let time) = contribution {
      longestFailure = max(longestFailure, time)
      failures.add(entry, number: number, rank: time) { [QueryField(source: .known(.error)).fact(in: entry, number: number)] }
    }
    guard let limit, isToBlame(contribution, limit) else { return }
    switch (contribution, measure) {
    case (.unknown, _):
      offenders.add(entry, number: number) { [Self.unknownTime] }
    case (.value(let value), .aggregate(_, let field, _)):
      offenders.add(entry, number: number, rank: value) { [field.fact(in: entry, number: number)] }
    case (.values(let values), .aggregate(_, let field, _)):
      guard let worst = order.blames == .smallest ? values.min() : values.max() else { return }
      let text = MeasureText.text(worst, measure.dimension)
      offenders.add(entry, number: number, rank: worst) { [Offender.Fact(name: field.spelling, text: text)] }
    case (_, .count(let condition)):
      offenders.add(entry, number: number) { condition?.facts(of: entry, number: number) ?? [] }
    case (_, .ratio(let condition, _)):
      offenders.add(entry, number: number) { condition.facts(of: entry, number: number) }
    case (.none, .aggregate), (.matching, .aggregate), (.failure, .aggregate), (_, .bypassed):
      preconditionFailure("An aggregate is made of values, and connections past the proxy are no exchanges")
    }
  }

  mutating func add(_ member: HARObject.Member) {
    running.add(member)
    programs += BypassedPrograms(member)?.texts ?? []
  }

  /// Whether the exchange would be to blame for a failure.
  private func isToBlame(_ contribution: RunningMeasure.Contribution, _ limit: Double) -> Bool {
    switch (contribution, measure) {
    case (.none, _), (.failure, _): false
    case (.unknown, _): true
    // If a count is below a floor, the missing exchanges are to blame.
    case (.matching(let isMatching), .count): isMatching && order.blames != .smallest
    case (.matching(let isMatching), _): isMatching == (order.blames != .smallest)
    // No single value of a sum has passed the bound.
    case (.value, .aggregate(.sum, _, _)): order.blames != .smallest
    case (.values, .aggregate(.sum, _, _)): order.blames != .smallest
    case (.value(let value), _): !order.holds(value, limit)
    case (.values(let values), _): values.contains { !order.holds($0, limit) }
    }
  }

  // MARK: Finding

  static let unknownTime = Offender.Fact(name: "total", text: "-")

  var finding: AssertionFinding {
    if running.unknown > 0 {
      let exchanges = Count.text(running.unknown, "exchange")
      return finding(.broken, "the log does not say how long \(exchanges) took", measured: running.value)
    }
    guard let measured = running.value else {
      if isCeilingOfTimes, running.failures > 0 {
        return failure(
          "\(running.failures == 1 ? "the only exchange" : "all \(running.failures) exchanges") failed", measured: nil)
      }
      return finding(.nothingToJudge, "no exchange to measure", measured: nil)
    }
    guard let limit else {
      return finding(.nothingToJudge, "\(found(measured)); the baseline has no exchange to measure", measured: measured)
    }
    if order.holds(measured, limit) {
      if let reason = failureText(limit) {
        return failure(found(measured) + ", but " + reason, measured: measured)
      }
      return finding(.held, found(measured) + comparisonText, measured: measured)
    }
    let excess = MeasureText.excess(measured, over: limit, measure.dimension)
    return finding(.broken, "\(found(measured)): \(excess)\(comparisonText)", measured: measured)
  }

  // MARK: Failures

  /// Whether the rule says that answers come within a time: something that a failure does not do.
  private var isCeilingOfTimes: Bool {
    guard case .aggregate(_, let field, _) = measure, field.kind == .number(.duration) else { return false }
    return order.blames == .largest
  }

  /// Why the rule does not hold though it holds for the answered exchanges: a percentile is of too few of all, or a failed
  /// exchange lasted longer than the longest may.
  private func failureText(_ limit: Double) -> String? {
    guard isCeilingOfTimes, running.failures > 0, case .aggregate(let aggregate, _, _) = measure else { return nil }
    let all = running.population.addingSaturating(running.failures)
    switch aggregate {
    case .percentile(let percent):
      guard Double(running.population) * 100 < percent * Double(all) else { return nil }
      return "\(running.failures) of \(all) failed: fewer than \(MeasureText.trimmed(percent)) % were answered"
    case .maximum:
      guard !order.holds(longestFailure, limit) else { return nil }
      return "an exchange failed after \(MeasureText.text(longestFailure, measure.dimension))"
    case .minimum, .mean, .sum: return nil
    }
  }

  private func failure(_ message: String, measured: Double?) -> AssertionFinding {
    AssertionFinding(
      .broken, message, measured: measured, bound: limit, population: running.population.addingSaturating(running.failures),
      offenders: failures)
  }

  private func finding(_ verdict: AssertionFinding.Verdict, _ message: String, measured: Double?) -> AssertionFinding {
    AssertionFinding(
      verdict, message, measured: measured, bound: limit, population: running.population, offenders: offenders)
  }

  private func found(_ measured: Double) -> String {
    let value = MeasureText.text(measured, measure.dimension)
    let population = Count.text(running.population, measure.counted)
    return switch measure {
    case .count(nil): population
    case .bypassed: programs.isEmpty ? "0 connections" : "\(value): \(programs.prefix(5).joined(separator: ", "))"
    case .count, .ratio: "\(value) of \(population)"
    case .aggregate:
      "measured \(value) over \(population)" + (running.failures > 0 ? ", without \(running.failures) that failed" : "")
    }
  }

  /// The baseline's value, if the rule names a baseline.
  private var comparisonText: String {
    guard case .share(let share, let name) = bound, let baseline else { return "" }
    let value = MeasureText.text(baseline, measure.dimension)
    let limit = MeasureText.text(baseline * share, measure.dimension)
    return share == 1 ? "; \(name) has \(value)" : "; \(name) has \(value), which permits \(limit)"
  }
}
