internal import TapelineHAR

/// Two fields of the same exchange that are compared: `content.size > resp.size`.
struct QueryFieldComparison: Hashable, Sendable {
  let left: QueryField
  let order: QueryOrder
  let right: QueryField

  /// Why the two cannot be compared in this order; `nil` if they can.
  var problem: String? {
    switch (left.kind, right.kind) {
    case (.any, _), (_, .any), (.date, .date): nil
    case (.number(let left), .number(let right)): left == right ? nil : "the two fields have different units"
    case (.text, .text), (.flag, .flag): order == .equal ? nil : "only numbers and dates have an order"
    case (.text, _), (.date, _), (.number, _), (.flag, _): "the two fields hold different things"
    }
  }

  /// Numbers are compared as numbers, also if they are texts; dates as instants. A missing value compares with nothing.
  func holds(_ found: QueryValue, _ other: QueryValue) -> Bool {
    if left.kind == .date, right.kind == .date {
      return found.hasText { text in
        other.hasText { QueryDateTest(order: order, date: $0)?.holds(for: text) ?? false }
      }
    }
    if let number = found.number, let limit = other.number { return order.holds(number, limit) }
    guard order == .equal else { return false }
    return found.isAny { found in
      other.isAny { $0 == found && found != .absent } || found.hasText { text in other.hasText { $0 == text } }
    }
  }
}
