internal import TapelineBase

/// Reads the grammar of `docs/assert.md`: a few words of its own around the conditions, fields and numbers of queries.
struct AssertionParser {
  private var parser: QueryParser

  static func parse(_ text: String) throws(QueryError) -> (statement: AssertionStatement, isOptional: Bool) {
    var parser = AssertionParser(parser: try QueryParser(text))
    return try parser.rule()
  }

  private mutating func rule() throws(QueryError) -> (AssertionStatement, Bool) {
    guard case .word(let word) = parser.token else {
      throw parser.failure("expected a rule", "begin with one of \(Self.words)")
    }
    let offset = parser.offset
    try parser.advance()
    let rule =
      if word == "new" {
        try nothingNew()
      } else if let quantifier = AssertionStatement.Quantifier(rawValue: word) {
        try quantified(quantifier)
      } else {
        try comparison(try measure(word, at: offset))
      }
    guard parser.token == .end else {
      throw parser.failure("expected the end of the rule", "give each rule its own argument, or its own line")
    }
    return rule
  }

  private static let words =
    "p95(…), max(…), min(…), mean(…), sum(…), count(…), ratio(…), bypassed, all(…), any(…), none(…), new …"

  // MARK: Statements

  private mutating func quantified(
    _ quantifier: AssertionStatement.Quantifier
  ) throws(QueryError) -> (AssertionStatement, Bool) {
    try open(quantifier.rawValue)
    let condition = try parser.alternatives()
    let population = try populationAndClose()
    return (.quantifies(quantifier, condition, among: population), try parser.take(.questionMark))
  }

  private mutating func nothingNew() throws(QueryError) -> (AssertionStatement, Bool) {
    guard case .word(let word) = parser.token, let fact = DistinctFact(rawValue: word) else {
      throw parser.failure("expected what must not be new", "it is one of \(Self.facts)")
    }
    try parser.advance()
    var population: QueryExpression?
    if try parser.take(.leftParenthesis) {
      population = try parser.alternatives()
      try close()
    }
    let isOptional = try parser.take(.questionMark)
    guard try parser.take(.comparison(.lessOrEqual)) else {
      throw parser.failure("expected <=", "write new \(word) <= baseline.har")
    }
    return (.nothingNew(fact, among: population, baseline: try file()), isOptional)
  }

  private static let facts = DistinctFact.allCases.map(\.rawValue).joined(separator: ", ")

  private mutating func comparison(_ measure: AssertionMeasure) throws(QueryError) -> (AssertionStatement, Bool) {
    let isOptional = try parser.take(.questionMark)
    guard case .comparison(let comparison) = parser.token, let order = AssertionOrder(comparison) else {
      throw parser.failure("expected a comparison", "compare it with <, <=, >, >=, == or !=")
    }
    try parser.advance()
    return (.compares(measure, order, try bound(measure.dimension)), isOptional)
  }

  // MARK: Measures

  private mutating func measure(_ word: String, at offset: Int) throws(QueryError) -> AssertionMeasure {
    switch word {
    case "count":
      try open(word)
      if try parser.take(.rightParenthesis) { return .count(nil) }
      let condition = try parser.alternatives()
      try close()
      return .count(condition)
    case "bypassed":
      return .bypassed
    case "ratio":
      try open(word)
      let condition = try parser.alternatives()
      let population = try parser.take(.word("of")) ? try parser.alternatives() : nil
      try close()
      return .ratio(condition, among: population)
    case let word:
      guard let aggregate = AssertionMeasure.Aggregate(name: word) else {
        throw QueryError("unknown rule \(word)", remedy: "begin with one of \(Self.words)", at: offset)
      }
      try open(word)
      let field = try numericField()
      return .aggregate(aggregate, of: field, among: try populationAndClose())
    }
  }

  private mutating func numericField() throws(QueryError) -> QueryField {
    let offset = parser.offset
    let field = try parser.field()
    switch field.kind {
    case .number, .any: return field
    case .text, .date, .flag:
      throw QueryError("the field holds no number", remedy: "name a field like wait, total or resp.size", at: offset)
    }
  }

  private mutating func populationAndClose() throws(QueryError) -> QueryExpression? {
    let population = try parser.take(.comma) ? try parser.alternatives() : nil
    try close()
    return population
  }

  private mutating func open(_ word: String) throws(QueryError) {
    guard try parser.take(.leftParenthesis) else { throw parser.failure("expected (", "write \(word)(…)") }
  }

  private mutating func close() throws(QueryError) {
    guard try parser.take(.rightParenthesis) else { throw parser.failure("expected )", "close what ( opened") }
  }

  // MARK: Bounds

  private mutating func bound(_ dimension: AssertionMeasure.Dimension) throws(QueryError) -> AssertionBound {
    let offset = parser.offset
    switch parser.token {
    case .quantity(let quantity):
      try parser.advance()
      guard try parser.take(.percent) else { return .number(try quantity.checked(against: dimension, at: offset)) }
      if try parser.take(.word("of")) { return .share(quantity.value / 100, baseline: try file()) }
      guard dimension == .share else {
        throw QueryError("a percentage of what?", remedy: "write 110% of baseline.har, or a number", at: offset)
      }
      return .number(quantity.value / 100)
    case .word, .text: return .share(1, baseline: try file())
    case .comparison, .leftParenthesis, .rightParenthesis, .leftBracket, .rightBracket, .comma, .percent, .questionMark, .end:
      throw parser.failure("expected a value", "write a number like 200ms, 64KiB or 5%, or 110% of baseline.har")
    }
  }

  private mutating func file() throws(QueryError) -> String {
    switch parser.token {
    case .word(let name), .text(let name):
      try parser.advance()
      return name
    case .quantity, .comparison, .leftParenthesis, .rightParenthesis, .leftBracket, .rightBracket, .comma, .percent,
      .questionMark, .end:
      throw parser.failure("expected the name of a file", "write baseline.har, or any name in quotes")
    }
  }
}

extension QueryQuantity {
  /// The value of the number, if its unit fits the measure.
  fileprivate func checked(against measured: AssertionMeasure.Dimension, at offset: Int) throws(QueryError) -> Double {
    guard dimension != .plain else { return value }
    let remedy: String
    switch measured {
    case .any: return value
    case .quantity(let measured) where measured == dimension: return value
    case .quantity(.plain): remedy = "write a number without a unit"
    case .quantity(.duration): remedy = "write a time like 200ms or 1.5s"
    case .quantity(.size): remedy = "write a size like 512, 64KiB or 1MB"
    case .share: remedy = "write a share like 5% or 0.05"
    }
    throw QueryError("this unit does not fit the measured field", remedy: remedy, at: offset)
  }
}

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
