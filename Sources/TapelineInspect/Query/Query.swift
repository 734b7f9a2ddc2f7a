package import TapelineHAR

/// A condition on exchanges, as people write it: `host ~ "api" and status >= 500`. `docs/query.md` has the language.
package struct Query: Sendable {
  private let expression: QueryExpression

  package init(_ text: String) throws(QueryError) {
    expression = try QueryParser.parse(text)
  }

  /// The parts of an entry that `matches` needs.
  package var parts: HAREntryParts { expression.parts }

  /// - Parameter number: the place of the exchange in its file, from 1.
  package func matches(_ entry: HAREntry, number: Int) -> Bool {
    expression.matches(entry, number: number)
  }
}

/// A query as a tree.
indirect enum QueryExpression: Sendable {
  case both(QueryExpression, QueryExpression)
  case either(QueryExpression, QueryExpression)
  case not(QueryExpression)
  /// The field's value counts as true.
  case holds(QueryField)
  case compares(QueryField, QueryNumberTest)
  case isDated(QueryField, QueryDateTest)
  case equals(QueryField, String)
  case matches(QueryField, TextPattern)
  case isFlag(QueryField, Bool)

  /// A comparison with a value that the log does not have is false, whichever way it points.
  func matches(_ entry: HAREntry, number: Int) -> Bool {
    switch self {
    case .both(let left, let right): left.matches(entry, number: number) && right.matches(entry, number: number)
    case .either(let left, let right): left.matches(entry, number: number) || right.matches(entry, number: number)
    case .not(let inner): !inner.matches(entry, number: number)
    case .holds(let field): field.value(in: entry, number: number).isTrue
    case .compares(let field, let test): test.holds(for: field.value(in: entry, number: number))
    case .isDated(let field, let test): field.value(in: entry, number: number).hasText { test.holds(for: $0) }
    case .equals(let field, let text): field.value(in: entry, number: number).hasText { $0 == text }
    case .matches(let field, let pattern): field.value(in: entry, number: number).hasText { pattern.matches($0) }
    case .isFlag(let field, let flag): field.value(in: entry, number: number).isAny { $0 == .flag(flag) }
    }
  }

  /// The parts of an entry that the expression needs.
  var parts: HAREntryParts {
    switch self {
    case .both(let left, let right), .either(let left, let right): left.parts.union(right.parts)
    case .not(let inner): inner.parts
    case .holds(let field), .compares(let field, _), .isDated(let field, _), .equals(let field, _), .matches(let field, _),
      .isFlag(let field, _):
      field.parts
    }
  }
}

/// How a value in an exchange must compare with the value in the query.
enum QueryOrder: Hashable, Sendable {
  case equal
  case less
  case lessOrEqual
  case greater
  case greaterOrEqual

  func holds<Value: Comparable>(_ found: Value, _ written: Value) -> Bool {
    switch self {
    case .equal: found == written
    case .less: found < written
    case .lessOrEqual: found <= written
    case .greater: found > written
    case .greaterOrEqual: found >= written
    }
  }
}

/// A number that a field is compared with.
struct QueryNumberTest: Hashable, Sendable {
  let order: QueryOrder
  let number: Double

  /// Whether the test holds for the value, or for one of several values.
  func holds(for value: QueryValue) -> Bool {
    value.isAny { $0.number.map { order.holds($0, number) } ?? false }
  }
}

/// An instant that a field is compared with.
struct QueryDateTest: Hashable, Sendable {
  let order: QueryOrder
  /// Since 1970.
  let nanoseconds: Int

  /// `nil` when the text is not a date.
  init?(order: QueryOrder, date: String) {
    guard let nanoseconds = unixNanoseconds(ofDate: date) else { return nil }
    self.order = order
    self.nanoseconds = nanoseconds
  }

  func holds(for text: String) -> Bool {
    unixNanoseconds(ofDate: text).map { order.holds($0, nanoseconds) } ?? false
  }
}
