/// A header field that differs between counterparts.
package struct HeaderChange: Sendable, Hashable {
  package enum Side: String, Sendable {
    case request
    case response
  }

  package let side: Side
  /// In lower case.
  package let name: String
  /// The field's lines in the first pair that differs; `nil` if the head has none.
  package let before: String?
  package let after: String?
  /// Whether other pairs differ in another way.
  package fileprivate(set) var varies = false
  /// The number of exchange pairs.
  package fileprivate(set) var count: Int
  /// The number of different requests.
  package var requestCount: Int { requests.count }
  fileprivate var requests: Set<RequestName>
  /// The places, in their files and from 1, of exchanges that show the change.
  package let beforeNumber: Int
  package let afterNumber: Int
}

/// Collects the differences in the heads of counterparts, by field: one entry for a field that is added, one if it is removed,
/// one if its values change, however many pairs show it.
struct HeaderChanges: Sendable {
  private enum Kind: Hashable, Sendable {
    case added
    case removed
    case changed
  }

  private struct Key: Hashable, Sendable {
    let side: HeaderChange.Side
    let name: String
    let kind: Kind
  }

  private let before: InternTable<ComparedHeaders>
  private let after: InternTable<ComparedHeaders>
  private var changes: [Key: HeaderChange] = [:]

  init(before: InternTable<ComparedHeaders>, after: InternTable<ComparedHeaders>) {
    self.before = before
    self.after = after
  }

  mutating func add(_ pair: FactPairs<ComparedHeads>.Pair, of request: RequestName) {
    add(pair, of: request, .request, pair.before.request, pair.after.request)
    add(pair, of: request, .response, pair.before.response, pair.after.response)
  }

  private mutating func add(
    _ pair: FactPairs<ComparedHeads>.Pair, of request: RequestName, _ side: HeaderChange.Side, _ oldNumber: UInt32?,
    _ newNumber: UInt32?
  ) {
    guard let oldNumber, let newNumber else { return }
    let old = before[oldNumber]
    let new = after[newNumber]
    guard old != new else { return }
    for name in Set(old.fields.map(\.name) + new.fields.map(\.name)) {
      let oldValues = old.values(name)
      let newValues = new.values(name)
      guard oldValues != newValues else { continue }
      let kind: Kind = oldValues.isEmpty ? .added : newValues.isEmpty ? .removed : .changed
      record(
        Key(side: side, name: name, kind: kind), pair, of: request,
        before: kind == .added ? nil : oldValues.joined(separator: ", "),
        after: kind == .removed ? nil : newValues.joined(separator: ", "))
    }
  }

  private mutating func record(
    _ key: Key, _ pair: FactPairs<ComparedHeads>.Pair, of request: RequestName, before: String?, after: String?
  ) {
    guard var change = changes[key] else {
      changes[key] = HeaderChange(
        side: key.side, name: key.name, before: before, after: after, count: pair.count, requests: [request],
        beforeNumber: pair.beforeNumber, afterNumber: pair.afterNumber)
      return
    }
    if change.before != before || change.after != after { change.varies = true }
    change.count += pair.count
    change.requests.insert(request)
    changes[key] = change
  }

  /// Changes in most pairs first, then by name.
  var ranked: [HeaderChange] {
    changes.values.sorted { left, right in
      (right.count, left.name, left.side.rawValue, left.afterNumber, left.beforeNumber, left.after ?? "")
        < (left.count, right.name, right.side.rawValue, right.afterNumber, right.beforeNumber, right.after ?? "")
    }
  }
}
