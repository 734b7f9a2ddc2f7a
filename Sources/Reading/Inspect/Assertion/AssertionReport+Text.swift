extension AssertionReport {
  /// For people: one line per rule, and under a failed rule the exchanges to blame, in at most `width` columns.
  package func text(width: Int, palette: Palette) -> [String] {
    palette.signs(
      in: floor.text(width: width, palette: palette) + results.flatMap { $0.text(width: width, palette: palette) } + [
        verdict(palette)
      ])
  }

  private func verdict(_ palette: Palette) -> String {
    let text = "\(file): \(summary)".printable
    return palette.apply(failures > 0 ? .red : .green, to: text)
  }
}

/// The indent of the lines below a rule.
private let indent = "      "

extension AssertionFloor {
  /// Empty when the floor is met.
  fileprivate func text(width: Int, palette: Palette) -> [String] {
    guard !isMet else { return [] }
    return [AssertionResult.Outcome.failed.mark(palette) + palette.apply(.bold, to: text)]
      + message.wrapped(to: max(20, width - indent.count)).map { indent + $0 }
  }
}

extension AssertionResult {
  fileprivate func text(width: Int, palette: Palette) -> [String] {
    [outcome.mark(palette) + palette.apply(.bold, to: assertion.text.printable)]
      + message.printable.wrapped(to: max(20, width - indent.count)).map { indent + $0 }
      + offenders.flatMap { $0.lines(width: width - indent.count, columns: columns, palette: palette) }.map {
        indent + $0
      }
      + (hiddenOffenderCount > 0 ? [indent + palette.apply(.dim, to: "… and \(hiddenOffenderCount) more")] : [])
  }

  private var columns: (number: Int, method: Int) {
    (
      offenders.map { String($0.number).count + 1 }.max() ?? 0,
      offenders.map { min($0.method.printable.count, 10) }.max() ?? 0
    )
  }
}

extension AssertionResult.Outcome {
  fileprivate func mark(_ palette: Palette) -> String {
    switch self {
    case .passed: palette.apply(.green, to: "ok") + "    "
    case .failed: palette.apply(.red, to: "FAIL") + "  "
    case .skipped: palette.apply(.yellow, to: "skip") + "  "
    }
  }
}

extension Offender {
  /// The URL gets the remaining width. The facts that the rule looked at follow it, or go below if they are long.
  fileprivate func lines(width: Int, columns: (number: Int, method: Int), palette: Palette) -> [String] {
    let start = "#\(number)".rightAligned(to: columns.number) + " " + method.printable.elided(to: 10).padded(to: columns.method)
    let facts = facts.map { "\($0.name) \($0.text)" }.joined(separator: ", ").printable
    let url = url.printable
    let room = width - start.cellCount - 1
    guard !facts.isEmpty else { return ["\(start) \(url.elided(to: room))"] }
    let roomBesideFacts = room - 2 - facts.cellCount
    if roomBesideFacts >= min(url.cellCount, Self.leastURLWidth) {
      return ["\(start) \(url.elided(to: roomBesideFacts))  \(palette.apply(.yellow, to: facts))"]
    }
    let indent = String(repeating: " ", count: start.cellCount + 1)
    return ["\(start) \(url.elided(to: room))"] + facts.wrapped(to: room).map { indent + palette.apply(.yellow, to: $0) }
  }

  private static let leastURLWidth = 30
}

// MARK: - Annotations of GitHub

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
