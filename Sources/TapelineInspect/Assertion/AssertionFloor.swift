/// How many exchanges a capture must hold, apart from the rules: a capture without the traffic passes every rule about failures.
package struct AssertionFloor: Hashable, Sendable {
  /// Exchanges that the rules applied to.
  let found: Int
  let required: Int
  let isFiltered: Bool

  /// - Parameter isFiltered: whether only exchanges that a filter chose were counted.
  package init(found: Int, required: Int, isFiltered: Bool) {
    self.found = found
    self.required = required
    self.isFiltered = isFiltered
  }

  var isMet: Bool { found >= required }

  /// The option that sets the floor.
  var text: String { "--min-exchanges \(required)" }

  /// The finding in one line.
  var message: String {
    let exchanges = (found == 1 ? "exchange" : "exchanges") + (isFiltered ? " that --filter chooses" : "")
    guard found > 0 else { return "no \(exchanges): nothing was checked; --allow-empty permits that" }
    return "\(found) \(exchanges): \(required - found) too few"
  }
}
