internal import TapelineBase
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
    let text = String(String(parser.characters[start..<parser.position]).trimmed)
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
    let text = String(written.trimmed)
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

  /// All that is left, without blanks around it.
  mutating func rest() -> (text: String, offset: Int) {
    let start = skipBlanks()
    position = characters.count
    return (String(String(characters[start...]).trimmed), start)
  }

  var end: Int { characters.count }

  /// The next word as `read` understands it.
  mutating func next<Value>(
    _ what: String, like example: String, _ read: (String) -> Value?
  ) throws(QueryError) -> Value {
    guard let (text, offset) = word() else {
      throw QueryError("\(what) is missing", remedy: "write it like \(example)", at: end)
    }
    return try QueryError.reading(text, as: what, like: example, at: offset, read)
  }

  // MARK: The share

  private mutating func share() throws(QueryError) -> InjectionShare {
    for (name, share) in [("first", InjectionShare.first), ("every", InjectionShare.every)] where take(name) {
      return share(try next("a number above 0", like: "\(name) 3") { UInt64($0).flatMap { $0 > 0 ? $0 : nil } })
    }
    let start = position
    guard let (text, offset) = word(), text.hasSuffix("%") else {
      position = start
      return .all
    }
    let share = try QueryError.reading(text, as: "a share above 0 and up to 100", like: "5%", at: offset) { text in
      Double(text.dropLast()).flatMap { $0 > 0 && $0 <= 100 ? $0 / 100 : nil }
    }
    return .fraction(share)
  }
}

extension QueryError {
  /// Reads a part of a text, or says what it is not.
  static func reading<Value>(
    _ text: some StringProtocol, as what: String, like example: String, at offset: Int, _ read: (String) -> Value?
  ) throws(QueryError) -> Value {
    guard let value = read(String(text)) else {
      throw QueryError("\(text) is not \(what)", remedy: "write it like \(example)", at: offset)
    }
    return value
  }
}

extension QueryQuantity {
  /// The value of a text in this dimension and range; `nil` for another.
  static func value(of text: some StringProtocol, _ dimension: Dimension, _ range: ClosedRange<Double>) -> Double? {
    QueryQuantity(text).flatMap { $0.dimension == dimension && range.contains($0.value) ? $0.value : nil }
  }
}

extension InjectionAction {
  /// For the log, where it is not what was written: the value of a field stands beside it, if it is not secret.
  fileprivate var shownText: String? {
    guard case .edit(let side, let edit) = self else { return nil }
    return "\(edit.value == nil ? "remove" : "set") \(side.rawValue) \(edit.name)"
  }
}
