/// Splits a query into tokens, each with its offset.
struct QueryLexer {
  private let characters: [Character]
  private var position = 0

  init(_ text: String) {
    characters = Array(text)
  }

  /// The next token; `end` at the end of the query, however often it is called.
  mutating func next() throws(QueryError) -> (token: QueryToken, offset: Int) {
    while let character = current, character.isWhitespace { position += 1 }
    let start = position
    guard let character = current else { return (.end, start) }
    return (try token(startingWith: character), start)
  }

  private var current: Character? {
    position < characters.count ? characters[position] : nil
  }

  private mutating func token(startingWith character: Character) throws(QueryError) -> QueryToken {
    switch character {
    case "(": return punctuation(.leftParenthesis)
    case ")": return punctuation(.rightParenthesis)
    case "[": return punctuation(.leftBracket)
    case "]": return punctuation(.rightBracket)
    case ",": return punctuation(.comma)
    case "%": return punctuation(.percent)
    case "?": return punctuation(.questionMark)
    case "\"", "'": return .text(try quoted(by: character))
    case "0"..."9", "-", "+": return .quantity(try quantity())
    case let letter where letter.isLetter || "_./".contains(letter): return .word(word())
    default: return .comparison(try comparison())
    }
  }

  private mutating func punctuation(_ token: QueryToken) -> QueryToken {
    position += 1
    return token
  }

  /// Inside quotes a backslash escapes only the quote and itself, so that patterns need no second escaping.
  private mutating func quoted(by quote: Character) throws(QueryError) -> String {
    let start = position
    position += 1
    var text = ""
    while let character = current {
      position += 1
      if character == quote { return text }
      if character == "\\", let next = current, next == quote || next == "\\" {
        // A pattern's own `\\` stays two characters; the pattern's parser reads it.
        if next == "\\" { text.append("\\") }
        text.append(next)
        position += 1
      } else {
        text.append(character)
      }
    }
    throw QueryError("the text that starts here has no end", remedy: "close it with \(quote)", at: start)
  }

  private mutating func quantity() throws(QueryError) -> QueryQuantity {
    let start = position
    position += 1
    let digits = take { $0.isASCII && $0.isNumber || $0 == "." }
    let unitStart = position
    let unit = take { $0.isLetter }
    guard let value = Double(String(characters[start]) + digits) else {
      throw QueryError("this is not a number", remedy: "write it like 200, 1.5s or 64KiB", at: start)
    }
    guard let quantity = QueryQuantity(value, unit: Substring(unit)) else {
      throw QueryError("unknown unit \(unit)", remedy: "the units are \(QueryQuantity.unitNames)", at: unitStart)
    }
    return quantity
  }

  /// The name of a field or, in rules, of a file.
  private mutating func word() -> String {
    take { $0.isLetter || $0.isNumber || "_.-/".contains($0) }
  }

  private mutating func take(while belongs: (Character) -> Bool) -> String {
    let start = position
    while let character = current, belongs(character) { position += 1 }
    return String(characters[start..<position])
  }

  private mutating func comparison() throws(QueryError) -> QueryComparison {
    let rest = String(characters[position..<min(position + 2, characters.count)])
    guard let comparison = QueryComparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
      let remedy = rest.hasPrefix("=") ? "write == for equal" : "the comparisons are ==, !=, <, <=, >, >=, ~ and !~"
      throw QueryError("unexpected \(rest.prefix(1))", remedy: remedy, at: position)
    }
    position += comparison.rawValue.count
    return comparison
  }
}

/// The words of the query language.
enum QueryToken: Hashable, Sendable {
  /// The name of a field, or `and`, `or`, `not`, `in`, `like`, `true`, `false`.
  case word(String)
  case text(String)
  case quantity(QueryQuantity)
  case comparison(QueryComparison)
  case leftParenthesis
  case rightParenthesis
  case leftBracket
  case rightBracket
  case comma
  /// These two tokens occur only in rules.
  case percent
  case questionMark
  case end
}

/// A comparison between a field and a value.
enum QueryComparison: String, CaseIterable, Hashable, Sendable {
  case equal = "=="
  case notEqual = "!="
  case lessOrEqual = "<="
  case greaterOrEqual = ">="
  case notMatching = "!~"
  case less = "<"
  case greater = ">"
  case matching = "~"
}

/// A number of a query with its unit.
package struct QueryQuantity: Hashable, Sendable {
  package enum Dimension: Hashable, Sendable {
    /// A bare number.
    case plain
    /// In milliseconds, as in HAR.
    case duration
    /// In bytes.
    case size
  }

  package let value: Double
  package let dimension: Dimension

  private static let units: [(name: Substring, factor: Double, dimension: Dimension)] = [
    ("", 1, .plain),
    ("us", 0.001, .duration), ("µs", 0.001, .duration), ("ms", 1, .duration), ("s", 1_000, .duration), ("m", 60_000, .duration),
    ("h", 3_600_000, .duration),
    ("B", 1, .size), ("kB", 1e3, .size), ("MB", 1e6, .size), ("GB", 1e9, .size),
    ("KiB", 1_024, .size), ("MiB", 1_048_576, .size), ("GiB", 1_073_741_824, .size),
  ]

  /// The list of units for error messages.
  static let unitNames = units.dropFirst().map(\.name).joined(separator: ", ")

  /// Reads a number and its unit, as in `1.5s`; `nil` for anything else.
  package init?(_ text: some StringProtocol) {
    let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    guard let value = Double(digits) else { return nil }
    self.init(value, unit: Substring(text.dropFirst(digits.count)))
  }

  /// `nil` when `unit` is unknown.
  init?(_ value: Double, unit: Substring) {
    guard let known = Self.units.first(where: { $0.name == unit }) else { return nil }
    self.value = value * known.factor
    dimension = known.dimension
  }
}
