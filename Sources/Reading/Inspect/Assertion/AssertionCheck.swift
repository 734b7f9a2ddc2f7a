package import TapelineHAR

/// Checks a rule on the exchanges of a capture one by one, in memory that does not grow with their number.
package struct AssertionCheck: Sendable {
  private let assertion: Assertion
  private var check: any StatementCheck

  /// - Parameters:
  ///   - baseline: has seen all exchanges of the capture that the rule names, if the rule names one.
  ///   - filter: the condition of all exchanges that will come.
  ///   - limit: how many exchanges a failed rule names.
  package init(_ assertion: Assertion, baseline: AssertionBaseline, filter: Query? = nil, naming limit: Int) {
    self.assertion = assertion
    check =
      switch assertion.statement {
      case .compares(let measure, let order, let bound):
        ComparisonCheck(measure, order, bound, baseline: baseline.value, filter: filter, naming: limit)
      case .quantifies(let quantifier, let condition, let population):
        QuantifierCheck(quantifier, condition, among: population, naming: limit)
      case .nothingNew(let fact, let population, let baselineName):
        NoveltyCheck(fact, among: population, known: baseline.known, baselineName: baselineName, naming: limit)
      }
  }

  /// - Parameter number: the place of the exchange in its file, from 1.
  package mutating func add(_ entry: HAREntry, number: Int) {
    check.add(entry, number: number)
  }

  /// A member of the log besides its exchanges.
  package mutating func add(_ member: HARObject.Member) {
    check.add(member)
  }

  package var result: AssertionResult {
    AssertionResult(assertion, check.finding)
  }
}

/// The check of one form of rule.
protocol StatementCheck: Sendable {
  mutating func add(_ entry: HAREntry, number: Int)
  mutating func add(_ member: HARObject.Member)
  var finding: AssertionFinding { get }
}

extension StatementCheck {
  mutating func add(_ member: HARObject.Member) {}
}

/// The finding of a check. Whether the rule may find nothing to judge is decided later.
struct AssertionFinding: Sendable {
  enum Verdict: Hashable, Sendable {
    case held
    case broken
    case nothingToJudge
  }

  var verdict: Verdict
  /// In one line.
  var message: String
  var measured: Double?
  var bound: Double?
  /// Exchanges that the rule applied to.
  var population: Int
  /// The exchanges to blame if the rule fails.
  var offenders: OffenderList

  init(
    _ verdict: Verdict, _ message: String, measured: Double? = nil, bound: Double? = nil, population: Int, offenders: OffenderList
  ) {
    self.verdict = verdict
    self.message = message
    self.measured = measured
    self.bound = bound
    self.population = population
    self.offenders = offenders
  }
}

/// The part of a baseline capture that a rule needs: one number, or the values that are not new.
package struct AssertionBaseline: Sendable {
  /// At most one of the two exists, depending on the rule.
  private var measure: RunningMeasure?
  private var distinct: DistinctValues?

  /// - Parameter filter: the condition of all exchanges that will come.
  package init(for assertion: Assertion, filter: Query? = nil) {
    switch assertion.statement {
    case .compares(_, _, .number), .quantifies: break
    case .compares(let measure, _, .share): self.measure = RunningMeasure(measure, filter: filter)
    case .nothingNew(let fact, let population, _): distinct = DistinctValues(fact, among: population)
    }
  }

  /// - Parameter number: the place of the exchange in the baseline, from 1.
  package mutating func add(_ entry: HAREntry, number: Int) {
    _ = measure?.add(entry, number: number)
    distinct?.add(entry, number: number)
  }

  /// A member of the baseline's log besides its exchanges.
  package mutating func add(_ member: HARObject.Member) {
    measure?.add(member)
  }

  /// The value of the measure in the baseline; `nil` when there was nothing to measure.
  var value: Double? { measure?.value }

  /// The values that are not new.
  var known: Set<String> { distinct?.values ?? [] }
}

/// The values of a fact that some exchanges show. A capture has few of them, however many exchanges it has.
private struct DistinctValues: Sendable {
  private let fact: DistinctFact
  private let population: QueryExpression?
  private(set) var values: Set<String> = []

  init(_ fact: DistinctFact, among population: QueryExpression?) {
    self.fact = fact
    self.population = population
  }

  mutating func add(_ entry: HAREntry, number: Int) {
    guard population?.matches(entry, number: number) ?? true, let value = fact.value(in: entry) else { return }
    values.insert(value)
  }
}

/// The pages that the exchanges of a capture belong to, by title, else by id.
package struct PageCensus: Sendable {
  /// In the order of appearance; pages with the same title count as one.
  private(set) var names: [String] = []
  private var known: Set<String> = []

  /// Our captures have at most this many. Pages beyond the limit are not told apart.
  static let limit = 1_000

  package init() {}

  package mutating func add(_ entry: HAREntry) {
    guard let page = entry.page, names.count < Self.limit, known.insert(page).inserted else { return }
    names.append(page)
  }
}
