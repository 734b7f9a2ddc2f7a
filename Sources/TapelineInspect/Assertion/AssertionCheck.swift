package import TapelineHAR

/// Checks a rule on the exchanges of a capture one by one, in memory that does not grow with their number.
package struct AssertionCheck: Sendable {
  private let assertion: Assertion
  private var check: any StatementCheck

  /// - Parameters:
  ///   - baseline: has seen all exchanges of the capture that the rule names, if the rule names one.
  ///   - limit: how many exchanges a failed rule names.
  package init(_ assertion: Assertion, baseline: AssertionBaseline, naming limit: Int) {
    self.assertion = assertion
    check =
      switch assertion.statement {
      case .compares(let measure, let order, let bound):
        ComparisonCheck(measure, order, bound, baseline: baseline.value, naming: limit)
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

  package var result: AssertionResult {
    AssertionResult(assertion, check.finding)
  }
}

/// The check of one form of rule.
protocol StatementCheck: Sendable {
  mutating func add(_ entry: HAREntry, number: Int)
  var finding: AssertionFinding { get }
}
