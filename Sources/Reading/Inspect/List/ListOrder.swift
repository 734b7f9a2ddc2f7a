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

/// Output for exchanges in another order than that of their file.
///
/// It holds a value and a result for each exchange, or for as many as are wanted, and never the exchange itself.
package struct SortedExchanges<Result: Sendable>: Sendable {
  private struct Item: Sendable {
    let key: QueryValue
    /// Its place among all that were added.
    let place: Int
    let result: Result
  }

  private let order: ListOrder
  private let limit: Int
  /// Sorted only when `items` has reached twice the limit, and at the end.
  private var items: [Item] = []
  private var count = 0
  /// The last of the wanted values so far: anything after it can be dropped.
  private var bound: QueryValue?

  package init(order: ListOrder, limit: Int = .max) {
    self.order = order
    self.limit = limit
  }

  /// - Parameter make: called only if the exchange may be one of the wanted ones.
  package mutating func add(_ entry: HAREntry, number: Int, _ make: () -> Result) {
    let key = order.key(of: entry, number: number)
    count += 1
    // An exchange with an equal key comes later in the file, and so later here.
    if let bound, !order.precedes(key, bound) { return }
    items.append(Item(key: key, place: count, result: make()))
    if items.count >= 2 * max(1, min(limit, .max / 2)) { trim() }
  }

  package consuming func results() -> [Result] {
    trim()
    return items.map(\.result)
  }

  private mutating func trim() {
    items.sort { left, right in
      if order.precedes(left.key, right.key) { return true }
      return !order.precedes(right.key, left.key) && left.place < right.place
    }
    guard items.count > limit else { return }
    items.removeLast(items.count - limit)
    bound = items.last?.key
  }
}
