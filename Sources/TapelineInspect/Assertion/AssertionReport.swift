/// The results of all rules on one capture.
package struct AssertionReport: Sendable {
  /// As it was named on the command line.
  package let file: String
  package let results: [AssertionResult]
  /// Checked in addition to the rules.
  package let floor: AssertionFloor
  /// The pages of the exchanges, for reports that are grouped by page.
  let pages: PageCensus

  package init(file: String, results: [AssertionResult], floor: AssertionFloor, pages: PageCensus = PageCensus()) {
    self.pages = pages
    self.file = file
    self.results = results
    self.floor = floor
  }

  /// Failed rules, plus one if the floor is not met.
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
  var offenderLines: [String] { Self.lines(offenders, of: offenderCount) }

  /// The exchanges to blame on one page; `nil` if the page has none.
  func offenderLines(on page: String) -> [String]? {
    offendersByPage[page].map { Self.lines($0.offenders, of: $0.count) }
  }

  private static func lines(_ offenders: [Offender], of count: Int) -> [String] {
    var lines = offenders.map { offender in
      let facts = offender.facts.map { "\($0.name) \($0.text)" }.joined(separator: ", ")
      let line = "#\(offender.number) \(offender.method) \(offender.url)"
      return (facts.isEmpty ? line : "\(line) (\(facts))").printable
    }
    if count > offenders.count { lines.append("… and \(count - offenders.count) more") }
    return lines
  }

  var hiddenOffenderCount: Int { offenderCount - offenders.count }
}
