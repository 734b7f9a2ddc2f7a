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
