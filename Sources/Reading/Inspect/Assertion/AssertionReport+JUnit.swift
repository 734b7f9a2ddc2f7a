internal import TapelineBase

extension AssertionReport {
  /// JUnit's XML, as continuous integration reads it: the capture is a suite, each rule a case.
  ///
  /// If a capture has several pages, each page is a suite: a broken rule fails on the pages whose exchanges are to blame, and
  /// passes on the others. A failure that no page is to blame for is reported for the capture.
  package var junit: [String] {
    let suites = pages.names.count > 1 ? [ownSuite].filter { !$0.cases.isEmpty } + pages.names.map(suite) : [wholeSuite]
    let counts = JUnitSuite.counts(suites.flatMap(\.cases))
    return ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites name=\"tapeline assert\" \(counts) time=\"0\">"]
      + suites.flatMap(\.lines) + ["</testsuites>"]
  }

  private var wholeSuite: JUnitSuite {
    JUnitSuite(name: file, cases: floorCases + results.map { JUnitCase($0, $0.junitOutcome) })
  }

  /// The suite of a capture with pages: cases that belong to no page.
  private var ownSuite: JUnitSuite {
    JUnitSuite(name: file, cases: floorCases + results.filter { !isToldByPage($0) }.map { JUnitCase($0, $0.junitOutcome) })
  }

  private func suite(_ page: String) -> JUnitSuite {
    let cases = results.filter(isToldByPage).map { result in
      JUnitCase(result, result.offenderLines(on: page).map { .failed(result.message, $0) } ?? .passed)
    }
    return JUnitSuite(name: page, cases: cases)
  }

  private func isToldByPage(_ result: AssertionResult) -> Bool {
    switch result.outcome {
    case .passed: true
    case .failed: pages.names.contains { result.offendersByPage[$0] != nil }
    case .skipped: false
    }
  }

  /// One case if the floor is not met.
  private var floorCases: [JUnitCase] {
    floor.isMet ? [] : [JUnitCase(name: floor.text, origin: nil, outcome: .failed(floor.message, []))]
  }
}

private struct JUnitSuite {
  let name: String
  let cases: [JUnitCase]

  var lines: [String] {
    ["  <testsuite name=\"\(name.escaped(for: .xml))\" \(Self.counts(cases)) time=\"0\">"]
      + cases.flatMap { $0.lines(suite: name) }
      + ["  </testsuite>"]
  }

  static func counts(_ cases: [JUnitCase]) -> String {
    let failures = cases.count { if case .failed = $0.outcome { true } else { false } }
    let skipped = cases.count { if case .skipped = $0.outcome { true } else { false } }
    return "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"0\" skipped=\"\(skipped)\""
  }
}

private struct JUnitCase {
  enum Outcome {
    case passed
    case skipped(String)
    /// With the message, and the lines of the exchanges to blame.
    case failed(String, [String])
  }

  let name: String
  let origin: Assertion.Origin?
  let outcome: Outcome

  func lines(suite: String) -> [String] {
    var attributes = "classname=\"\(suite.escaped(for: .xml))\" name=\"\(name.escaped(for: .xml))\" time=\"0\""
    if let origin { attributes += " file=\"\(origin.file.escaped(for: .xml))\" line=\"\(origin.line)\"" }
    switch outcome {
    case .passed: return ["    <testcase \(attributes)/>"]
    case .skipped(let message):
      return ["    <testcase \(attributes)>", "      <skipped message=\"\(message.escaped(for: .xml))\"/>", "    </testcase>"]
    case .failed(let message, let offenders):
      let details = offenders.map { $0.escaped(for: .xml) }.joined(separator: "\n")
      return [
        "    <testcase \(attributes)>",
        "      <failure type=\"tapeline.assert\" message=\"\(message.escaped(for: .xml))\">\(details)</failure>",
        "    </testcase>",
      ]
    }
  }
}

extension JUnitCase {
  init(_ result: AssertionResult, _ outcome: Outcome) {
    self.init(name: result.assertion.text, origin: result.assertion.origin, outcome: outcome)
  }
}

extension AssertionResult {
  fileprivate var junitOutcome: JUnitCase.Outcome {
    switch outcome {
    case .passed: .passed
    case .skipped: .skipped(message)
    case .failed: .failed(message, offenderLines)
    }
  }
}
