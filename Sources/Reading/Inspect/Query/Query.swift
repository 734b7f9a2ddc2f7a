package import TapelineHAR

/// A condition on exchanges, as people write it: `host ~ "api" and status >= 500`. `docs/query.md` has the language.
package struct Query: Sendable {
  let expression: QueryExpression

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
  case holds(QueryField, QueryTest)
  case compares(QueryFieldComparison)

  func matches(_ entry: HAREntry, number: Int) -> Bool {
    switch self {
    case .both(let left, let right): left.matches(entry, number: number) && right.matches(entry, number: number)
    case .either(let left, let right): left.matches(entry, number: number) || right.matches(entry, number: number)
    case .not(let inner): !inner.matches(entry, number: number)
    case .holds(let field, let test): test.holds(for: field.value(in: entry, number: number))
    case .compares(let comparison):
      comparison.holds(comparison.left.value(in: entry, number: number), comparison.right.value(in: entry, number: number))
    }
  }

  /// The parts of an entry that the expression needs.
  var parts: HAREntryParts { fields.reduce(into: []) { $0.formUnion($1.parts) } }

  /// The fields that it names, in this order.
  var fields: [QueryField] {
    switch self {
    case .both(let left, let right), .either(let left, let right): left.fields + right.fields
    case .not(let inner): inner.fields
    case .holds(let field, _): [field]
    case .compares(let comparison): [comparison.left, comparison.right]
    }
  }
}

/// A condition on the value of a field.
///
/// A comparison with a value that the log does not have is false, whichever way it points.
enum QueryTest: Sendable {
  /// The value counts as true.
  case isTrue
  case number(QueryNumberTest)
  case date(QueryDateTest)
  case text(String)
  case pattern(TextPattern)
  case flag(Bool)

  func holds(for value: QueryValue) -> Bool {
    switch self {
    case .isTrue: value.isTrue
    case .number(let test): test.holds(for: value)
    case .date(let test): value.hasText { test.holds(for: $0) }
    case .text(let text): value.hasText { $0 == text }
    case .pattern(let pattern): value.hasText { pattern.matches($0) }
    case .flag(let flag): value.isAny { $0 == .flag(flag) }
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
