extension AssertionReport {
  /// Workflow commands of GitHub Actions: an annotation for each broken rule, at its line if the rule is in a file.
  package var githubAnnotations: [String] {
    [floor.githubAnnotation].compactMap(\.self) + results.compactMap(\.githubAnnotation) + ["\(file): \(summary)".printable]
  }
}

extension AssertionFloor {
  fileprivate var githubAnnotation: String? {
    isMet ? nil : "::error title=\(text.escapedForProperty)::\(message.escapedForMessage)"
  }
}

extension AssertionResult {
  fileprivate var githubAnnotation: String? {
    let command: String
    switch outcome {
    case .passed: return nil
    case .failed: command = "error"
    case .skipped: command = "warning"
    }
    let place = assertion.origin.map { "file=\($0.file.escapedForProperty),line=\($0.line)," } ?? ""
    let text = ([message] + offenderLines).joined(separator: "\n").escapedForMessage
    return "::\(command) \(place)title=\(assertion.text.escapedForProperty)::\(text)"
  }
}

extension String {
  /// The end of the line ends a workflow command.
  fileprivate var escapedForMessage: String {
    escaping(["%": "%25", "\r": "%0D", "\n": "%0A"])
  }

  /// A property also ends with a comma or a colon.
  fileprivate var escapedForProperty: String {
    escaping(["%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"])
  }

  private func escaping(_ escapes: [Unicode.Scalar: String]) -> String {
    var text = ""
    for scalar in unicodeScalars {
      if let escape = escapes[scalar] { text += escape } else { text.unicodeScalars.append(scalar) }
    }
    return text
  }
}
