internal import TapelineBase

/// Defines what counts as a secret: the standard rules, and those that a file adds.
package struct RedactionRules: Sendable, Hashable {
  var names = SecretNames.standard
  /// Names of further header fields with secret values, in lower case.
  var fields: Set<[UInt8]> = []
  /// Regular expressions whose matches are secrets.
  private(set) var patterns: [String] = []

  package static let standard = RedactionRules()

  /// Whether a user's expressions are among them, which may take any time.
  package var hasPatterns: Bool { !patterns.isEmpty }

  private init() {}

  /// The standard rules and those of a file: one rule per line, `#` before a comment.
  ///
  /// `header NAME`: values of this field. `name GLOB`: values of parameters, form fields and JSON keys of this name, in which `*`
  /// matches anything. `pattern REGEX`: its matches in any text, or their first group.
  package init(contentsOf text: [UInt8]) throws(RedactionRulesError) {
    var start = 0
    var number = 0
    while start < text.count {
      let end = text.span.first(of: UInt8(ascii: "\n"), from: start) ?? text.count
      number += 1
      let line = text.span.trimmed(start..<(end > start && text[end - 1] == 0x0D ? end - 1 : end))
      if !line.isEmpty, text[line.lowerBound] != UInt8(ascii: "#") {
        do throws(RedactionRulesError.Kind) {
          try add(text.span.extracting(line))
        } catch {
          throw RedactionRulesError(line: number, kind: error)
        }
      }
      start = end + 1
    }
  }

  private mutating func add(_ line: Span<UInt8>) throws(RedactionRulesError.Kind) {
    let end = line.first { $0 == 0x20 || $0 == 0x09 } ?? line.count
    let argument = line.extracting(line.trimmed(end..<line.count))
    let rule = 0..<end
    if line.equals("header", in: rule) {
      guard !argument.isEmpty, argument.first(where: { $0 <= 0x20 || $0 == UInt8(ascii: ":") }) == nil else {
        throw .notAFieldName
      }
      fields.insert(argument.asciiLowercased)
    } else if line.equals("name", in: rule) {
      guard !argument.isEmpty, argument.first(where: { $0 != UInt8(ascii: "*") }) != nil else { throw .notAName }
      names.insert(glob: argument)
    } else if line.equals("pattern", in: rule) {
      guard !argument.isEmpty else { throw .emptyPattern }
      let pattern = String(bytes: argument)
      guard "".wholeMatch(of: try Self.compiled(pattern)) == nil else { throw .matchesNothing }
      patterns.append(pattern)
    } else {
      throw .unknownRule(String(bytes: line.extracting(rule)))
    }
  }
}

extension RedactionRules {
  private static func compiled(_ pattern: String) throws(RedactionRulesError.Kind) -> Regex<AnyRegexOutput> {
    do {
      return try Regex(pattern)
    } catch {
      throw .notAPattern("\(error)")
    }
  }
}

/// Why a file of rules is invalid.
package struct RedactionRulesError: Error, Sendable, Hashable, CustomStringConvertible {
  package let line: Int
  package let kind: Kind

  package enum Kind: Error, Sendable, Hashable {
    case unknownRule(String)
    case notAFieldName
    case notAName
    case emptyPattern
    /// The pattern matches the empty text, and so everywhere.
    case matchesNothing
    case notAPattern(String)
  }

  package var description: String {
    "line \(line): \(reason)"
  }

  private var reason: String {
    switch kind {
    case .unknownRule(let word): "unknown rule “\(word)”; a line is header NAME, name GLOB or pattern REGEX"
    case .notAFieldName: "header wants the name of one header field"
    case .notAName: "name wants a name, in which * stands for anything"
    case .emptyPattern: "pattern wants a regular expression"
    case .matchesNothing: "the regular expression matches the empty text"
    case .notAPattern(let reason): "no regular expression: \(reason)"
    }
  }
}

/// A regular expression from a file of rules.
///
/// The cost of the expression is its author's responsibility, except for long text: the expression sees only pieces of it, so
/// that quadratic time does not become quadratic in the size of a body.
struct UserPattern {
  private let regex: Regex<AnyRegexOutput>

  private static let pieceSize = 1 << 16
  /// The overlap of two pieces: a match up to this length is found anywhere.
  private static let overlap = 1 << 12

  /// - Precondition: a valid expression.
  init(_ pattern: String) {
    do {
      regex = try Regex(pattern)
    } catch {
      preconditionFailure("a pattern is compiled once before it is taken into the rules")
    }
  }

  /// The matches, or their first group; in order. Invalid UTF-8 is read as ISO 8859-1.
  func secrets(in bytes: [UInt8]) -> [Range<Int>] {
    var secrets: [Range<Int>] = []
    var start = 0
    while start < bytes.count {
      let end = min(start + Self.pieceSize, bytes.count)
      let isLast = end == bytes.count
      let next = isLast ? end : end - Self.overlap
      var matchedEnd = start
      for (match, secret) in matches(in: bytes[start..<end]) where isLast || match.lowerBound < next {
        if !secret.isEmpty { secrets.append(secret) }
        matchedEnd = match.upperBound
      }
      start = max(next, matchedEnd)
    }
    return secrets
  }

  private func matches(in bytes: ArraySlice<UInt8>) -> [(match: Range<Int>, secret: Range<Int>)] {
    let start = bytes.startIndex
    if let text = String(validating: bytes, as: UTF8.self) {
      let utf8 = text.utf8
      return matches(in: text) { start + utf8.distance(from: utf8.startIndex, to: $0) }
    }
    var text = ""
    for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    let scalars = text.unicodeScalars
    return matches(in: text) { start + scalars.distance(from: scalars.startIndex, to: $0) }
  }

  private func matches(
    in text: String, place: (String.Index) -> Int
  ) -> [(match: Range<Int>, secret: Range<Int>)] {
    text.matches(of: regex).map { match in
      let secret = match.output.count > 1 ? match.output[1].range ?? match.range : match.range
      return (
        place(match.range.lowerBound)..<place(match.range.upperBound), place(secret.lowerBound)..<place(secret.upperBound)
      )
    }
  }
}
