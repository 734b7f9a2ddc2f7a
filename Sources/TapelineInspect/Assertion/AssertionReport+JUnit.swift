extension AssertionReport {
  /// JUnit's XML, as continuous integration reads it: the capture is a suite, each rule a case.
  package var junit: [String] {
    let tests = results.count + (floor.isMet ? 0 : 1)
    let counts = "tests=\"\(tests)\" failures=\"\(failures)\" errors=\"0\" skipped=\"\(count(.skipped))\""
    return [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<testsuites name=\"tapeline assert\" \(counts) time=\"0\">",
      "  <testsuite name=\"\(file.escapedForXML)\" \(counts) time=\"0\">",
    ] + floor.junit(suite: file) + results.flatMap { $0.junit(suite: file) } + ["  </testsuite>", "</testsuites>"]
  }
}

extension AssertionFloor {
  /// A case when it is not met.
  fileprivate func junit(suite: String) -> [String] {
    guard !isMet else { return [] }
    return [
      "    <testcase classname=\"\(suite.escapedForXML)\" name=\"\(text.escapedForXML)\" time=\"0\">",
      "      <failure type=\"tapeline.assert\" message=\"\(message.escapedForXML)\"></failure>",
      "    </testcase>",
    ]
  }
}

extension AssertionResult {
  fileprivate func junit(suite: String) -> [String] {
    var attributes = "classname=\"\(suite.escapedForXML)\" name=\"\(assertion.text.escapedForXML)\" time=\"0\""
    if let origin = assertion.origin { attributes += " file=\"\(origin.file.escapedForXML)\" line=\"\(origin.line)\"" }
    switch outcome {
    case .passed: return ["    <testcase \(attributes)/>"]
    case .skipped:
      return [
        "    <testcase \(attributes)>", "      <skipped message=\"\(message.escapedForXML)\"/>", "    </testcase>",
      ]
    case .failed:
      let details = offenderLines.map(\.escapedForXML).joined(separator: "\n")
      return [
        "    <testcase \(attributes)>",
        "      <failure type=\"tapeline.assert\" message=\"\(message.escapedForXML)\">\(details)</failure>",
        "    </testcase>",
      ]
    }
  }
}

extension String {
  /// As text or between double quotes (XML 1.0, sections 2.2 and 2.4); characters that XML cannot hold become U+FFFD.
  fileprivate var escapedForXML: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "\t", "\n", "\r": text += "&#\(scalar.value);"
      case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": text += "\u{FFFD}"
      case let scalar: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
