/// What became of all rules on one capture.
package struct AssertionReport: Sendable {
  /// As it was named on the command line.
  package let file: String
  package let results: [AssertionResult]
  /// Beside the rules.
  package let floor: AssertionFloor

  package init(file: String, results: [AssertionResult], floor: AssertionFloor) {
    self.file = file
    self.results = results
    self.floor = floor
  }

  /// Rules, and the floor where it is not met.
  package var failures: Int { count(.failed) + (floor.isMet ? 0 : 1) }

  package func count(_ outcome: AssertionResult.Outcome) -> Int {
    results.count { $0.outcome == outcome }
  }

  /// `2 of 5 rules failed, 1 skipped`.
  package var summary: String {
    let rules = results.count == 1 ? "1 rule" : "\(results.count) rules"
    let failed = count(.failed)
    let judged = failed == 0 ? "\(rules) kept" : "\(failed) of \(rules) failed"
    let skipped = count(.skipped)
    let rest = skipped == 0 ? judged : "\(judged), \(skipped) skipped"
    return floor.isMet ? rest : "\(rest), too few exchanges"
  }
}

extension AssertionResult {
  /// The exchanges to blame, for reports that have no columns.
  var offenderLines: [String] {
    var lines = offenders.map { offender in
      let facts = offender.facts.map { "\($0.name) \($0.text)" }.joined(separator: ", ")
      let line = "#\(offender.number) \(offender.method) \(offender.url)"
      return (facts.isEmpty ? line : "\(line) (\(facts))").printable
    }
    if hiddenOffenderCount > 0 { lines.append("… and \(hiddenOffenderCount) more") }
    return lines
  }

  var hiddenOffenderCount: Int { offenderCount - offenders.count }
}
