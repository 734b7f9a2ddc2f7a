/// How many exchanges a capture has to hold, whatever the rules are: of one that missed the traffic every rule about failures is kept.
package struct AssertionFloor: Hashable, Sendable {
  /// Those that the rules were about.
  let found: Int
  let required: Int
  let isFiltered: Bool

  /// - Parameter isFiltered: whether only those that a filter chose were counted.
  package init(found: Int, required: Int, isFiltered: Bool) {
    self.found = found
    self.required = required
    self.isFiltered = isFiltered
  }

  var isMet: Bool { found >= required }

  /// As it is asked for.
  var text: String { "--min-exchanges \(required)" }

  /// What was found, in one line.
  var message: String {
    let exchanges = (found == 1 ? "exchange" : "exchanges") + (isFiltered ? " that --filter chooses" : "")
    guard found > 0 else { return "no \(exchanges): nothing was checked; --allow-empty permits that" }
    return "\(found) \(exchanges): \(required - found) too few"
  }
}
