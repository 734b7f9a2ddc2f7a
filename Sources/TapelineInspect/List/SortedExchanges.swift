package import TapelineHAR

/// What is to be shown of exchanges, in another order than that of their file.
///
/// It holds a value and a result for each exchange, or for as many as are wanted; never the exchange itself.
package struct SortedExchanges<Result: Sendable>: Sendable {
  private struct Item: Sendable {
    let key: QueryValue
    let number: Int
    let result: Result
  }

  private let order: ListOrder
  private let limit: Int
  /// Sorted only after `items` has come to twice the limit, and at the end.
  private var items: [Item] = []
  /// The last of those that are wanted so far: what follows it need not be kept.
  private var bound: QueryValue?

  package init(order: ListOrder, limit: Int = .max) {
    self.order = order
    self.limit = limit
  }

  /// - Parameter make: called only when the exchange may be among those that are wanted.
  package mutating func add(_ entry: HAREntry, number: Int, _ make: () -> Result) {
    let key = order.key(of: entry, number: number)
    // An equal one comes later in the file, and so later here.
    if let bound, !order.precedes(key, bound) { return }
    items.append(Item(key: key, number: number, result: make()))
    if items.count >= 2 * max(1, min(limit, .max / 2)) { trim() }
  }

  package consuming func results() -> [Result] {
    trim()
    return items.map(\.result)
  }

  private mutating func trim() {
    items.sort { left, right in
      if order.precedes(left.key, right.key) { return true }
      return !order.precedes(right.key, left.key) && left.number < right.number
    }
    guard items.count > limit else { return }
    items.removeLast(items.count - limit)
    bound = items.last?.key
  }
}
