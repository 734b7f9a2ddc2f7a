/// A value before and after, and how often it changed that way.
package struct ChangeCount<Value: Hashable & Sendable>: Hashable, Sendable {
  package let before: Value
  package let after: Value
  package let count: Int
  /// The place in its file, from 1, of an exchange that shows the change: the first of a row of equal ones.
  package let beforeNumber: Int
  package let afterNumber: Int
}

/// Counts what differs between counterparts.
struct ChangeCounter<Value: Hashable & Sendable>: Sendable {
  private struct Change: Hashable, Sendable {
    let before: Value
    let after: Value
  }

  private var counts: [Change: ChangeCount<Value>] = [:]

  mutating func add(_ pair: FactPairs<ComparedAnswer>.Pair, from before: Value, to after: Value) {
    guard before != after else { return }
    let change = Change(before: before, after: after)
    let earlier = counts[change]
    counts[change] = ChangeCount(
      before: before, after: after, count: (earlier?.count ?? 0) + pair.count,
      beforeNumber: earlier?.beforeNumber ?? pair.beforeNumber, afterNumber: earlier?.afterNumber ?? pair.afterNumber)
  }

  /// The most frequent first.
  var ranked: [ChangeCount<Value>] {
    counts.values.sorted { ($1.count, $0.afterNumber, $0.beforeNumber) < ($0.count, $1.afterNumber, $1.beforeNumber) }
  }
}
