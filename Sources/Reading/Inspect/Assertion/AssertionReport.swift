package import TapelineHAR
internal import TapelineBase

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
    let rules = Count.text(results.count, "rule")
    let failed = count(.failed)
    let judged = failed == 0 ? "\(rules) kept" : "\(failed) of \(rules) failed"
    let skipped = count(.skipped)
    let rest = skipped == 0 ? judged : "\(judged), \(skipped) skipped"
    return floor.isMet ? rest : "\(rest), too few exchanges"
  }
}

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

extension AssertionReport {
  /// For programs; times in milliseconds, sizes in bytes, shares of 1. Unknown values are omitted. `message` is present if there
  /// were too few exchanges, which counts as one of `failed`.
  package var json: HARValue {
    var members: HARObject = [
      "file": .string(file), "failed": .number(HARNumber(failures)), "skipped": .number(HARNumber(count(.skipped))),
      "passed": .number(HARNumber(count(.passed))), "exchanges": .number(HARNumber(floor.found)),
      "minExchanges": .number(HARNumber(floor.required)),
    ]
    if !floor.isMet { members["message"] = .string(floor.message) }
    members["rules"] = .array(results.map(\.json))
    return .object(members)
  }
}

extension AssertionResult {
  fileprivate var json: HARValue {
    var members: HARObject = ["rule": .string(assertion.text)]
    if let origin = assertion.origin {
      members["file"] = .string(origin.file)
      members["line"] = .number(HARNumber(origin.line))
    }
    members["outcome"] = .string(outcome.rawValue)
    members["message"] = .string(message)
    if let measured { members["measured"] = .number(HARNumber(measured)) }
    if let bound { members["bound"] = .number(HARNumber(bound)) }
    members["exchanges"] = .number(HARNumber(population))
    if outcome == .failed {
      members["offenders"] = .array(offenders.map(\.json))
      members["offenderCount"] = .number(HARNumber(offenderCount))
    }
    return .object(members)
  }
}

extension Offender {
  fileprivate var json: HARValue {
    [
      "number": .number(HARNumber(number)), "method": .string(method), "url": .string(url), "status": .number(HARNumber(status)),
      "facts": .object(HARObject(members: facts.map { HARObject.Member(name: $0.name, value: .string($0.text)) })),
    ]
  }
}
