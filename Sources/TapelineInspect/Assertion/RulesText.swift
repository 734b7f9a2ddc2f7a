/// The rules of a file, one per line. Empty lines and lines that begin with `#` are ignored.
package enum RulesText {
  /// A line that is not a rule.
  package struct Failure: Error, Hashable, Sendable {
    /// The rule, without the blanks around it.
    package let text: String
    package let origin: Assertion.Origin
    package let error: QueryError
  }

  package static func rules(in text: String, of file: String) throws(Failure) -> [Assertion] {
    var rules: [Assertion] = []
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let rule = String(line.trimmed)
      guard !rule.isEmpty, rule.first != "#" else { continue }
      let origin = Assertion.Origin(file: file, line: index + 1)
      do throws(QueryError) {
        rules.append(try Assertion(rule, origin: origin))
      } catch {
        throw Failure(text: rule, origin: origin, error: error)
      }
    }
    return rules
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    var rest = drop { $0.isWhitespace }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }
}
