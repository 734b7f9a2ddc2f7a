internal import TapelineHTTP
internal import TapelineInspect
internal import TapelineProxy

/// Reads one rule, `QUERY: ACTION`; `docs/conditions.md` has the language.
struct RuleParser {
  /// A rule and its condition.
  struct Parsed {
    /// `nil`: every request.
    let query: Query?
    let rule: InjectionRule
  }

  let environment: [String: String]
  private let characters: [Character]
  private var position = 0

  /// - Parameter environment: for values that are named by `@env:`.
  static func parse(_ line: String, environment: [String: String]) throws(QueryError) -> Parsed {
    var parser = RuleParser(line, environment)
    let (condition, query) = try parser.query()
    let start = parser.skipBlanks()
    let action = try parser.action()
    let share = try parser.share()
    let text = String(parser.characters[start..<parser.position]).trimmed
    if let (word, offset) = parser.word() {
      throw QueryError(
        "unexpected \(word)", remedy: "after the action comes first N, every N or a share like 5%, or nothing", at: offset)
    }
    if case .map = action, query != nil || share != .all {
      throw QueryError("map names its host itself, for all its connections", remedy: "write *: \(text)", at: start)
    }
    return Parsed(
      query: query,
      rule: InjectionRule(query: condition, text: action.shownText ?? text, action: action, share: share))
  }

  private init(_ line: String, _ environment: [String: String]) {
    characters = Array(line)
    self.environment = environment
  }

  // MARK: The condition

  /// Reads up to the first colon outside quotes.
  private mutating func query() throws(QueryError) -> (text: String, Query?) {
    var quote: Character?
    while position < characters.count {
      let character = characters[position]
      if character == "\\", quote != nil {
        position += 1
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "\"" || character == "'" {
        quote = character
      } else if quote == nil, character == ":" {
        break
      }
      position += 1
    }
    let written = String(characters[..<min(position, characters.count)])
    guard position < characters.count else {
      // A text without an end hides the colon.
      if quote != nil { _ = try Query(aboutRequest: written) }
      throw QueryError(
        "no colon between a condition and an action", remedy: #"write it like path == "/slow": delay 200ms"#,
        at: characters.count)
    }
    position += 1
    let text = written.trimmed
    guard !text.isEmpty else {
      throw QueryError("the condition is missing", remedy: "write * for every request", at: 0)
    }
    return (text, text == "*" ? nil : try Query(aboutRequest: written))
  }

  // MARK: Words

  @discardableResult
  mutating func skipBlanks() -> Int {
    while position < characters.count, characters[position].isWhitespace { position += 1 }
    return position
  }

  /// The next word and its offset; `nil` at the end.
  mutating func word() -> (text: String, offset: Int)? {
    let start = skipBlanks()
    while position < characters.count, !characters[position].isWhitespace { position += 1 }
    return start == position ? nil : (String(characters[start..<position]), start)
  }

  /// Takes the next word if it is this one.
  mutating func take(_ expected: String) -> Bool {
    let start = position
    if word()?.text == expected { return true }
    position = start
    return false
  }

  /// The next word, without taking it.
  func peek() -> (text: String, offset: Int)? {
    var other = self
    return other.word()
  }

  /// All that is left, without blanks around it.
  mutating func rest() -> (text: String, offset: Int) {
    let start = skipBlanks()
    position = characters.count
    return (String(characters[start...]).trimmed, start)
  }

  var end: Int { characters.count }

  // MARK: The share

  private mutating func share() throws(QueryError) -> InjectionShare {
    if take("first") { return .first(try count(after: "first")) }
    if take("every") { return .every(try count(after: "every")) }
    guard let (text, offset) = peek(), text.hasSuffix("%") else { return .all }
    _ = word()
    guard let share = Double(text.dropLast()), share > 0, share <= 100 else {
      throw QueryError("\(text) is not a share", remedy: "write one above 0 and up to 100, like 5%", at: offset)
    }
    return .fraction(share / 100)
  }

  private mutating func count(after name: String) throws(QueryError) -> UInt64 {
    let found = word()
    guard let count = found.flatMap({ UInt64($0.text) }), count > 0 else {
      throw QueryError("\(name) needs a number above 0", remedy: "write it like \(name) 3", at: found?.offset ?? end)
    }
    return count
  }
}

extension InjectionAction {
  /// For the log, where it is not what was written: the value of a field stands beside it, if it is not secret.
  fileprivate var shownText: String? {
    guard case .edit(let side, let edit) = self else { return nil }
    return "\(edit.value == nil ? "remove" : "set") \(side.rawValue) \(edit.name)"
  }
}

extension String {
  var trimmed: String {
    let start = drop { $0.isWhitespace }
    return String(start.reversed().drop { $0.isWhitespace }.reversed())
  }
}
