/// A dictionary of at most `limit` entries: beyond the limit, the entry that was least recently set or used is forgotten.
///
/// A call that concerns one key takes constant time, however full the table is.
///
/// Public although no other package uses it: each module has its own keys, and the compiler (6.3) specialises for other modules
/// what is `public` alone.
public struct BoundedTable<Key: Hashable, Value> {
  /// An entry, and its neighbours in the order of use.
  @usableFromInline
  struct Node {
    @usableFromInline
    var key: Key
    @usableFromInline
    var value: Value
    @usableFromInline
    var older: Int?
    @usableFromInline
    var newer: Int?

    @inlinable
    init(key: Key, value: Value) {
      self.key = key
      self.value = value
    }
  }

  @usableFromInline
  let limit: Int
  @usableFromInline
  var places: [Key: Int] = [:]
  /// Without gaps, in no order.
  @usableFromInline
  var nodes: [Node] = []
  @usableFromInline
  var oldest: Int?
  @usableFromInline
  var newest: Int?

  @inlinable
  public init(limit: Int) {
    precondition(limit > 0, "a table has room for something")
    self.limit = limit
  }

  @inlinable
  public var count: Int { nodes.count }

  /// To read is not to use. To set makes the entry the youngest; to set `nil` removes it.
  @inlinable
  public subscript(key: Key) -> Value? {
    get { places[key].map { nodes[$0].value } }
    set {
      switch (places[key], newValue) {
      case (let place?, let value?):
        nodes[place].value = value
        becomeNewest(place)
      case (nil, let value?): insert(value, for: key)
      case (let place?, nil): remove(at: place)
      case (nil, nil): break
      }
    }
  }

  /// Makes the entry the youngest and lets it be changed; `nil` if the key has no entry.
  @inlinable
  public mutating func use<Result>(_ key: Key, _ body: (inout Value) -> Result) -> Result? {
    guard let place = places[key] else { return nil }
    becomeNewest(place)
    return body(&nodes[place].value)
  }

  /// The entries, the least recently used first.
  public var elements: [(key: Key, value: Value)] {
    var elements: [(key: Key, value: Value)] = []
    elements.reserveCapacity(count)
    var next = oldest
    while let place = next {
      elements.append((nodes[place].key, nodes[place].value))
      next = nodes[place].newer
    }
    return elements
  }

  public mutating func removeAll(where isUnwanted: (Key, Value) -> Bool) {
    for (key, value) in elements where isUnwanted(key, value) { self[key] = nil }
  }

  // MARK: Places

  @inlinable
  mutating func insert(_ value: Value, for key: Key) {
    var place = nodes.count
    if place < limit {
      nodes.append(Node(key: key, value: value))
    } else if let forgotten = oldest {
      place = forgotten
      unlink(place)
      places[nodes[place].key] = nil
      nodes[place] = Node(key: key, value: value)
    }
    places[key] = place
    linkAsNewest(place)
  }

  /// The last node moves into the gap.
  @inlinable
  mutating func remove(at place: Int) {
    unlink(place)
    places[nodes[place].key] = nil
    let moved = nodes.removeLast()
    guard place < nodes.count else { return }
    nodes[place] = moved
    places[moved.key] = place
    if let older = moved.older { nodes[older].newer = place } else { oldest = place }
    if let newer = moved.newer { nodes[newer].older = place } else { newest = place }
  }

  @inlinable
  mutating func becomeNewest(_ place: Int) {
    guard place != newest else { return }
    unlink(place)
    linkAsNewest(place)
  }

  @inlinable
  mutating func unlink(_ place: Int) {
    let (older, newer) = (nodes[place].older, nodes[place].newer)
    if let older { nodes[older].newer = newer } else { oldest = newer }
    if let newer { nodes[newer].older = older } else { newest = older }
  }

  @inlinable
  mutating func linkAsNewest(_ place: Int) {
    nodes[place].older = newest
    nodes[place].newer = nil
    if let newest { nodes[newest].newer = place } else { oldest = place }
    newest = place
  }
}

extension BoundedTable.Node: Sendable where Key: Sendable, Value: Sendable {}
extension BoundedTable: Sendable where Key: Sendable, Value: Sendable {}
