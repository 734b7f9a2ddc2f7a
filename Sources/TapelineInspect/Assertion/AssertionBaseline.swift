package import TapelineHAR

/// The part of a baseline capture that a rule needs: one number, or the values that are not new.
package struct AssertionBaseline: Sendable {
  /// At most one of the two exists, depending on the rule.
  private var measure: RunningMeasure?
  private var distinct: DistinctValues?

  package init(for assertion: Assertion) {
    switch assertion.statement {
    case .compares(_, _, .number), .quantifies: break
    case .compares(let measure, _, .share): self.measure = RunningMeasure(measure)
    case .nothingNew(let fact, let population, _): distinct = DistinctValues(fact, among: population)
    }
  }

  /// - Parameter number: the place of the exchange in the baseline, from 1.
  package mutating func add(_ entry: HAREntry, number: Int) {
    _ = measure?.add(entry, number: number)
    distinct?.add(entry, number: number)
  }

  /// The value of the measure in the baseline; `nil` when there was nothing to measure.
  var value: Double? { measure?.value }

  /// The values that are not new.
  var known: Set<String> { distinct?.values ?? [] }
}

/// The values of a fact that some exchanges show. A capture has few of them, however many exchanges it has.
struct DistinctValues: Sendable {
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
