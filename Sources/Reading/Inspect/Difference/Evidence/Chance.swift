/// The probability that chance alone made a finding.
struct Chance: Hashable, Sendable {
  let probability: Double
  /// The smallest that so few exchanges can give.
  let least: Double
}

/// Several comparisons together: which of them are findings, if at most a given share of families without any change may have
/// one.
///
/// The rule is Holm's (1979). Comparisons whose exchanges are too few for any result are not counted (Tarone, 1990), so that many
/// requests with a single exchange do not hide the change of one with many.
struct ComparisonFamily: Sendable {
  private let chances: [Chance?]
  /// How many comparisons can have a result at all.
  let testable: Int
  private let share: Double

  /// - Parameters:
  ///   - chances: `nil` for what cannot be compared.
  ///   - share: of families without a change that may have a finding.
  init(_ chances: [Chance?], share: Double) {
    self.chances = chances
    self.share = share
    let least = chances.compactMap { $0?.least }.sorted()
    testable = (1...max(1, least.count)).first { count in least.count { $0 <= share / Double(count) } <= count } ?? least.count
  }

  /// Whether the comparison with this index could have a result.
  func isTestable(_ index: Int) -> Bool {
    chances[index].map { $0.least <= share / Double(testable) } ?? false
  }

  /// For each comparison, in the given order.
  var areFindings: [Bool] {
    let ranked = chances.indices.filter(isTestable).sorted { (left, right) in
      (chances[left]?.probability ?? 1, left) < (chances[right]?.probability ?? 1, right)
    }
    var found = [Bool](repeating: false, count: chances.count)
    for (rank, index) in ranked.enumerated() {
      guard let chance = chances[index], chance.probability <= share / Double(max(1, testable - rank)) else { break }
      found[index] = true
    }
    return found
  }
}
