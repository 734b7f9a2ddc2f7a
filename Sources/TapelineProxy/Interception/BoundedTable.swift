/// A dictionary of at most `limit` entries: beyond the limit, the oldest entries are forgotten.
struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private(set) var values: [Key: Value] = [:]
  /// Oldest first.
  private var order: [Key] = []
  private let limit: Int

  init(limit: Int) {
    precondition(limit > 0, "a table has room for something")
    self.limit = limit
  }

  subscript(key: Key) -> Value? {
    get { values[key] }
    set {
      guard let newValue else {
        if values.removeValue(forKey: key) != nil { order.removeAll { $0 == key } }
        return
      }
      if values.updateValue(newValue, forKey: key) == nil { order.append(key) }
      if order.count > limit { values[order.removeFirst()] = nil }
    }
  }

  mutating func removeAll(where isUnwanted: (Key, Value) -> Bool) {
    values = values.filter { !isUnwanted($0.key, $0.value) }
    order.removeAll { values[$0] == nil }
  }
}
