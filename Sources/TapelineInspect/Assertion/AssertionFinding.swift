/// What a check found, before it is known whether the rule permits that there was nothing to judge.
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
  /// Exchanges that the rule was about.
  var population: Int
  /// Those that it fails for, should it fail.
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
