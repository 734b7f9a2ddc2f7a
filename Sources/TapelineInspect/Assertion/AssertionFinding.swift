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
