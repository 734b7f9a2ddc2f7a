internal import TapelineHAR

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
