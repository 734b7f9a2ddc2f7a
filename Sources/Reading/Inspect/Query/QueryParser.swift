/// Reads the grammar of `docs/query.md`, by recursive descent: `or` binds weakest, then `and`, then `not`.
///
/// The parsers of rules and of limits, which contain conditions, are built on it: they read their own words with `take`, and
/// conditions with `alternatives`, which stops at the first token that is not part of a condition.
struct QueryParser {
  private var lexer: QueryLexer
  /// The next token, and the number of characters before it.
  private(set) var token = QueryToken.end
  private(set) var offset = 0
  private var depth = 0

  /// The maximum nesting depth of parentheses and `not`.
  private static let depthLimit = 100

  static func parse(_ text: String) throws(QueryError) -> QueryExpression {
    var parser = try QueryParser(text)
    let expression = try parser.alternatives()
    guard parser.token == .end else {
      throw parser.failure("expected the end of the query, and or or", "join conditions with and or or")
    }
    return expression
  }

  init(_ text: String) throws(QueryError) {
    lexer = QueryLexer(text)
    try advance()
  }

  mutating func advance() throws(QueryError) {
    (token, offset) = try lexer.next()
  }

  mutating func take(_ expected: QueryToken) throws(QueryError) -> Bool {
    guard token == expected else { return false }
    try advance()
    return true
  }

  func failure(_ reason: String, _ remedy: String) -> QueryError {
    QueryError(reason, remedy: remedy, at: offset)
  }

  // MARK: Conditions

  mutating func alternatives() throws(QueryError) -> QueryExpression {
    var expression = try conjunction()
    while try take(.word("or")) { expression = .either(expression, try conjunction()) }
    return expression
  }

  private mutating func conjunction() throws(QueryError) -> QueryExpression {
    var expression = try negation()
    while try take(.word("and")) { expression = .both(expression, try negation()) }
    return expression
  }

  private mutating func negation() throws(QueryError) -> QueryExpression {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else { throw failure("nested too deeply", "write a simpler query") }
    if try take(.word("not")) { return .not(try negation()) }
    guard try take(.leftParenthesis) else { return try condition() }
    let inner = try alternatives()
    guard try take(.rightParenthesis) else { throw failure("expected )", "close what ( opened") }
    return inner
  }

  private mutating func condition() throws(QueryError) -> QueryExpression {
    let field = try field()
    switch token {
    case .comparison(let comparison):
      try advance()
      return try compare(field, comparison)
    case .word("like"):
      try advance()
      let field = try textField(field)
      try refuse(field.impossibility(ofPattern:))
      return .holds(field, .pattern(TextPattern(glob: try text())))
    case .word("in"):
      try advance()
      return try list(field)
    case .word("not"):
      try advance()
      guard try take(.word("in")) else { throw failure("expected in", "write not in (…), or not before the field") }
      return .not(try list(field))
    case .word, .text, .quantity, .leftParenthesis, .rightParenthesis, .leftBracket, .rightBracket, .comma, .percent,
      .questionMark, .end:
      return .holds(field, .isTrue)
    }
  }

  // MARK: Fields

  mutating func field() throws(QueryError) -> QueryField {
    guard case .word(let name) = token else {
      throw failure("expected the name of a field", "begin a condition with a field, like status >= 500")
    }
    let nameOffset = offset
    try advance()
    if try take(.leftBracket) {
      let key = try text()
      guard try take(.rightBracket) else { throw failure("expected ]", "write \(name)[\"\(key)\"]") }
      if let field = QueryField(name: name, key: key) { return field }
      let names = QueryField.Named.allCases.map(\.rawValue).joined(separator: ", ")
      throw QueryError("\(name) has no parts by name", remedy: "those that have are \(names)", at: nameOffset)
    }
    if let field = QueryField(name: name) { return field }
    if QueryField.Named(rawValue: name) != nil {
      throw QueryError("\(name) needs a name", remedy: "write \(name)[\"…\"]", at: nameOffset)
    }
    throw QueryError("unknown field \(name)", remedy: Self.fieldRemedy(for: name), at: nameOffset)
  }

  /// The fields that have a name of their own, as users write them.
  static let fieldNames =
    QueryField.Known.allCases.map(\.rawValue) + QueryField.Named.allCases.map { $0.rawValue + "[\"…\"]" }

  /// The field that was probably meant, or a list of all fields.
  private static func fieldRemedy(for name: String) -> String {
    let others = "tls.…, tcp.…, http2.…, grpc.…, server.…, and others by their path in the log"
    return Spelling.remedy(
      for: name, among: fieldNames, else: "the fields are \(fieldNames.joined(separator: ", ")), \(others)")
  }

  private func textField(_ field: QueryField) throws(QueryError) -> QueryField {
    switch field.kind {
    case .text, .date, .any: return field
    case .number, .flag: throw failure("the field holds no text", "compare it with ==, <, <=, > or >=")
    }
  }

  // MARK: Values

  mutating func text() throws(QueryError) -> String {
    guard case .text(let text) = token else {
      if case .word(let word) = token { throw failure("expected a text", "put it in quotes: \"\(word)\"") }
      throw failure("expected a text", "put it in quotes")
    }
    try advance()
    return text
  }

  private mutating func list(_ field: QueryField) throws(QueryError) -> QueryExpression {
    guard try take(.leftParenthesis) else { throw failure("expected (", "write the values as (…, …)") }
    var expression = try compare(field, .equal)
    while try take(.comma) { expression = .either(expression, try compare(field, .equal)) }
    guard try take(.rightParenthesis) else { throw failure("expected , or )", "write the values as (…, …)") }
    return expression
  }

  private mutating func compare(_ field: QueryField, _ comparison: QueryComparison) throws(QueryError) -> QueryExpression {
    switch comparison {
    case .equal: try equal(field)
    case .notEqual: .not(try equal(field))
    case .less: try order(field, .less)
    case .lessOrEqual: try order(field, .lessOrEqual)
    case .greater: try order(field, .greater)
    case .greaterOrEqual: try order(field, .greaterOrEqual)
    case .matching: try match(field)
    case .notMatching: .not(try match(field))
    }
  }

  /// Another field in place of a value: `content.size > resp.size`.
  private mutating func comparison(of left: QueryField, _ order: QueryOrder) throws(QueryError) -> QueryExpression? {
    guard case .word(let name) = token, QueryField(name: name) ?? QueryField(name: name, key: "") != nil else { return nil }
    let offset = offset
    let comparison = QueryFieldComparison(left: left, order: order, right: try self.field())
    if let problem = comparison.problem {
      if left.kind == .text { throw QueryError("the field holds text", remedy: "put it in quotes: \"\(name)\"", at: offset) }
      throw QueryError(problem, remedy: "compare times with times, sizes with sizes, texts with texts", at: offset)
    }
    return .compares(comparison)
  }

  /// Refuses a text that the field can never be like.
  private func refuse(
    _ impossibility: (String) -> (reason: String, remedy: String)?
  ) throws(QueryError) {
    guard case .text(let text) = token, let problem = impossibility(text) else { return }
    throw failure(problem.reason, problem.remedy)
  }

  private mutating func equal(_ field: QueryField) throws(QueryError) -> QueryExpression {
    if let comparison = try comparison(of: field, .equal) { return comparison }
    switch token {
    case .text(let text):
      let field = try textField(field)
      try refuse(field.impossibility(of:))
      try advance()
      // All spellings of a version are one version.
      if field.isVersion, let number = RecordedVersion(text).number {
        return .holds(field, .number(QueryNumberTest(order: .equal, number: number)))
      }
      let expression = QueryExpression.holds(field, .text(field.isLowercase ? text.lowercased() : text))
      guard let method = field.usualSpelling(of: text) else { return expression }
      return .either(expression, .holds(field, .text(method)))
    case .word("true"), .word("false"):
      guard field.kind == .flag || field.kind == .any else {
        throw failure("the field is not true or false", "compare it with a number or a text")
      }
      let flag = token == .word("true")
      try advance()
      return .holds(field, .flag(flag))
    case .word, .quantity, .comparison, .leftParenthesis, .rightParenthesis, .leftBracket, .rightBracket, .comma, .percent,
      .questionMark, .end:
      return try order(field, .equal)
    }
  }

  private mutating func order(_ field: QueryField, _ order: QueryOrder) throws(QueryError) -> QueryExpression {
    if let comparison = try comparison(of: field, order) { return comparison }
    switch field.kind {
    case .any, .number: break
    case .date: return try date(field, order)
    case .text:
      if case .word(let word) = token { throw failure("the field holds text", "put it in quotes: \"\(word)\"") }
      throw failure("the field holds text", "compare it with a text in quotes by ==, ~ or like")
    case .flag: throw failure("the field is true or false", "write the field alone, or not before it")
    }
    guard case .quantity(let quantity) = token else {
      throw failure("expected a value", "write a number like 200, 1.5s or 64KiB, or a text in quotes")
    }
    if case .number(let dimension) = field.kind, quantity.dimension != .plain, quantity.dimension != dimension {
      throw failure("this unit is not the field's", Self.unitRemedy(dimension))
    }
    try advance()
    return .holds(field, .number(QueryNumberTest(order: order, number: quantity.value)))
  }

  private mutating func date(_ field: QueryField, _ order: QueryOrder) throws(QueryError) -> QueryExpression {
    guard case .text(let text) = token, let test = QueryDateTest(order: order, date: text) else {
      throw failure("expected a date", "write it like \"2026-11-21T09:30:00Z\"")
    }
    try advance()
    return .holds(field, .date(test))
  }

  private static func unitRemedy(_ dimension: QueryQuantity.Dimension) -> String {
    switch dimension {
    case .plain: "write a number without a unit"
    case .duration: "write a time like 200ms or 1.5s"
    case .size: "write a size like 512, 64KiB or 1MB"
    }
  }

  private mutating func match(_ field: QueryField) throws(QueryError) -> QueryExpression {
    let field = try textField(field)
    let patternOffset = offset
    try refuse(field.impossibility(ofPattern:))
    let pattern = try text()
    do throws(RegularExpression.Malformed) {
      return .holds(field, .pattern(try TextPattern(regularExpression: pattern)))
    } catch {
      throw QueryError(
        "this is not a regular expression: \(error.reason)", remedy: "mend it, or compare with like or ==", at: patternOffset)
    }
  }
}
