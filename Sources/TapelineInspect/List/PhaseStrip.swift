/// Where the time of an exchange went, as a few letters: `dcwwwwwr` is mostly waiting.
package enum PhaseStrip {
  /// `width` letters, shared among the phases in proportion to their durations by largest remainder; blank when nothing took time.
  package static func text(for durations: PhaseDurations, width: Int) -> String {
    let shares = disjoint(durations)
    let total = shares.reduce(0) { $0 + $1.milliseconds }
    guard total > 0, total.isFinite, width > 0 else { return String(repeating: " ", count: max(0, width)) }
    let ideal = shares.map { $0.milliseconds / total * Double(width) }
    var cells = ideal.map { Int($0) }
    let byRemainder = ideal.indices.sorted { remainder(ideal[$0]) > remainder(ideal[$1]) }
    for index in byRemainder.prefix(width - cells.reduce(0, +)) {
      cells[index] += 1
    }
    return zip(shares, cells).map { String(repeating: String($0.phase.letter), count: $1) }.joined()
  }

  /// The phases that took time, `ssl` taken out of `connect`, so that nothing is counted twice.
  private static func disjoint(_ durations: PhaseDurations) -> [(phase: Phase, milliseconds: Double)] {
    Phase.allCases.compactMap { phase in
      guard let whole = durations[phase], whole > 0 else { return nil }
      let share = phase == .connect ? max(0, whole - (durations[.ssl] ?? 0)) : whole
      return share > 0 ? (phase, share) : nil
    }
  }

  private static func remainder(_ value: Double) -> Double {
    value - value.rounded(.down)
  }
}
