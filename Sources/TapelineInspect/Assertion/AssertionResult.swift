/// The result of a rule.
package struct AssertionResult: Sendable {
  package enum Outcome: String, Sendable {
    case passed
    case failed
    /// There was nothing to judge, and the rule permits that.
    case skipped
  }

  package let assertion: Assertion
  package let outcome: Outcome
  /// The finding in one line.
  package let message: String
  /// For rules that compare a number: in milliseconds, in bytes, or as in the log; shares are of 1.
  package let measured: Double?
  package let bound: Double?
  /// Exchanges that the rule applied to.
  package let population: Int
  /// The worst few of the exchanges that a failed rule fails for.
  package let offenders: [Offender]
  package let offenderCount: Int
  /// The exchanges to blame on each page, by the page's title, else its id.
  let offendersByPage: [String: OffenderList]

  init(_ assertion: Assertion, _ finding: AssertionFinding) {
    self.assertion = assertion
    measured = finding.measured
    bound = finding.bound
    population = finding.population
    switch finding.verdict {
    case .held: outcome = .passed
    case .broken: outcome = .failed
    case .nothingToJudge: outcome = assertion.isOptional ? .skipped : .failed
    }
    let mayBePermitted = finding.verdict == .nothingToJudge && !assertion.isOptional
    message = finding.message + (mayBePermitted ? "; a ? after the ) permits that" : "")
    let isBroken = finding.verdict == .broken
    offenders = isBroken ? finding.offenders.offenders : []
    offenderCount = isBroken ? finding.offenders.count : 0
    offendersByPage = isBroken ? finding.offenders.pages : [:]
  }
}
