/// A limit that makes a comparison fail, as people write it: `p95 +10%`, `new errors`. `docs/diff.md` has the forms.
package struct DifferenceLimit: Sendable {
  enum Subject: Hashable, Sendable {
    case percentile(Double, TimedPart)
    case amount(Amount)
  }

  /// The amounts that are counted for a whole capture.
  enum Amount: String, CaseIterable, Hashable, Sendable {
    /// Bytes of decoded response bodies, and of response bodies on the wire.
    case size
    case wire
    /// The number of exchanges.
    case count
    case errors
  }

  enum Growth: Hashable, Sendable {
    /// In percent of the value before.
    case percent(Double)
    /// In milliseconds, bytes, or exchanges.
    case amount(Double)
  }

  /// Events that must not happen at all.
  enum Event: String, CaseIterable, Hashable, Sendable {
    case newErrors = "new errors"
    case newRequests = "new requests"
    case newHosts = "new hosts"
    case removedRequests = "removed requests"
    case changedStatus = "changed status"
    case changedRedirects = "changed redirects"
    case changedVersions = "changed versions"
    case changedHeaders = "changed headers"
  }

  enum Condition: Hashable, Sendable {
    /// A negative growth limits how far the value may fall.
    case growth(Subject, Growth, isPooled: Bool)
    case event(Event)
  }

  package let text: String
  let condition: Condition

  package init(_ text: String) throws(QueryError) {
    self.text = text
    condition = try DifferenceLimitParser.parse(text)
  }
}

/// Reads the forms of `--fail`, with the words and numbers of queries.
private struct DifferenceLimitParser {
  private var parser: QueryParser

  static func parse(_ text: String) throws(QueryError) -> DifferenceLimit.Condition {
    var parser = DifferenceLimitParser(parser: try QueryParser(text))
    let condition = try parser.condition()
    guard parser.parser.token == .end else {
      throw parser.parser.failure("expected the end of the limit", "give each limit its own --fail")
    }
    return condition
  }

  private mutating func condition() throws(QueryError) -> DifferenceLimit.Condition {
    guard case .word(let word) = parser.token else {
      throw parser.failure("expected a limit", Self.remedy)
    }
    let offset = parser.offset
    try parser.advance()
    if DifferenceLimit.Event.allCases.contains(where: { $0.rawValue.hasPrefix(word + " ") }) {
      return .event(try event(word))
    }
    let subject = try subject(word, at: offset)
    let growth = try growth(of: subject)
    if parser.token == .word("each") { throw parser.failure("each is the rule", "leave it out: each request is judged") }
    guard parser.token == .word("pooled") else { return .growth(subject, growth, isPooled: false) }
    guard case .percentile = subject else {
      throw parser.failure("pooled is for percentiles", "leave it out: it is the sum that is limited")
    }
    try parser.advance()
    return .growth(subject, growth, isPooled: true)
  }

  private static let remedy = "write 'p95 +10%', 'p50(wait) +20ms', 'size +5%' or 'new errors'"

  private mutating func event(_ first: String) throws(QueryError) -> DifferenceLimit.Event {
    if case .word(let second) = parser.token, let event = DifferenceLimit.Event(rawValue: "\(first) \(second)") {
      try parser.advance()
      return event
    }
    let events = DifferenceLimit.Event.allCases.map(\.rawValue).joined(separator: ", ")
    throw parser.failure("expected what is \(first)", "the events are \(events)")
  }

  private mutating func subject(_ word: String, at offset: Int) throws(QueryError) -> DifferenceLimit.Subject {
    if let amount = DifferenceLimit.Amount(rawValue: word) { return .amount(amount) }
    guard word.first == "p", let percent = Double(word.dropFirst()), percent > 0, percent < 100 else {
      throw QueryError("unknown limit \(word)", remedy: Self.remedy, at: offset)
    }
    guard try parser.take(.leftParenthesis) else { return .percentile(percent, .total) }
    guard case .word(let name) = parser.token, let part = TimedPart(name: name) else {
      let names = TimedPart.allCases.map(\.name).joined(separator: ", ")
      throw parser.failure("expected the name of a time", "the times are \(names)")
    }
    try parser.advance()
    guard try parser.take(.rightParenthesis) else { throw parser.failure("expected )", "close what ( opened") }
    return .percentile(percent, part)
  }

  private mutating func growth(of subject: DifferenceLimit.Subject) throws(QueryError) -> DifferenceLimit.Growth {
    guard case .quantity(let quantity) = parser.token else {
      throw parser.failure("expected by how much it may grow", "write a share like +10%, or an amount with its unit")
    }
    guard quantity.dimension == .plain || quantity.dimension == subject.dimension else {
      throw parser.failure("this unit does not fit the limited measure", "write a share like +10%")
    }
    let isBare = quantity.dimension == .plain && subject.dimension != .plain
    let offset = parser.offset
    try parser.advance()
    if quantity.dimension == .plain, try parser.take(.percent) { return .percent(quantity.value) }
    guard !isBare else {
      throw QueryError("a number without a unit", remedy: "write +10%, +20ms or +64KiB, as it is meant", at: offset)
    }
    return .amount(quantity.value)
  }
}

extension DifferenceLimit.Subject {
  var dimension: QueryQuantity.Dimension {
    switch self {
    case .percentile: .duration
    case .amount(.size), .amount(.wire): .size
    case .amount(.count), .amount(.errors): .plain
    }
  }
}
