package import TapelineHAR

/// Output for exchanges in another order than that of their file.
///
/// It holds a value and a result for each exchange, or for as many as are wanted, and never the exchange itself.
package struct SortedExchanges<Result: Sendable>: Sendable {
  private struct Item: Sendable {
    let key: QueryValue
    let number: Int
    let result: Result
  }

  private let order: ListOrder
  private let limit: Int
  /// Sorted only when `items` has reached twice the limit, and at the end.
  private var items: [Item] = []
  /// The last of the wanted values so far: anything after it can be dropped.
  private var bound: QueryValue?

  package init(order: ListOrder, limit: Int = .max) {
    self.order = order
    self.limit = limit
  }

  /// - Parameter make: called only if the exchange may be one of the wanted ones.
  package mutating func add(_ entry: HAREntry, number: Int, _ make: () -> Result) {
    let key = order.key(of: entry, number: number)
    // An exchange with an equal key comes later in the file, and so later here.
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
