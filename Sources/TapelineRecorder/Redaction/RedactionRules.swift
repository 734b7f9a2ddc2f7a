internal import TapelineText

/// Defines what counts as a secret: the standard rules, and those that a file adds.
package struct RedactionRules: Sendable, Hashable {
  var names = SecretNames.standard
  /// Names of further header fields with secret values, in lower case.
  var fields: Set<[UInt8]> = []
  /// Regular expressions whose matches are secrets.
  private(set) var patterns: [String] = []

  package static let standard = RedactionRules()

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

extension String {
  /// External text: invalid UTF-8 is shown as replacement characters.
  init(bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
