package import TapelineHAR

/// The sort order of `list`: by a field, smallest or largest value first. Exchanges with equal values stay in the order of the
/// file, and exchanges without the field come last.
package struct ListOrder: Sendable {
  private let field: QueryField
  private let isDescending: Bool

  /// Reads `total:desc`.
  package init(_ text: String) throws(QueryError) {
    let colon = text.lastIndex(of: ":").flatMap { text[text.index(after: $0)...].contains("]") ? nil : $0 } ?? text.endIndex
    switch text[colon...] {
    case ":desc": isDescending = true
    case ":asc", "": isDescending = false
    case let other:
      throw QueryError(
        "unknown order \(other)", remedy: "write total or total:desc", at: text.distance(from: text.startIndex, to: colon))
    }
    var parser = try QueryParser(String(text[..<colon]))
    field = try parser.field()
    guard parser.token == .end else { throw parser.failure("expected :asc or :desc", "sort by one field, as in total:desc") }
  }

  /// The parts of an entry that the order needs.
  package var parts: HAREntryParts { field.parts }

  func key(of entry: HAREntry, number: Int) -> QueryValue {
    field.value(in: entry, number: number)
  }

  func precedes(_ left: QueryValue, _ right: QueryValue) -> Bool {
    guard isDescending, left != .absent, right != .absent else { return QueryValue.precedes(left, right) }
    return QueryValue.precedes(right, left)
  }
}
