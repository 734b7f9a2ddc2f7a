package import TapelineBase

/// Where the time of an exchange went, in a few cells: `dcwwwwwr` is mostly waiting.
package enum PhaseStrip {
  /// A cell of a phase if colours tell the phases apart.
  static let block = "█"

  /// `width` letters, shared among the phases in proportion to their durations; blank when nothing took time.
  package static func text(for durations: PhaseDurations, width: Int) -> String {
    colored(for: durations, width: width, palette: Palette(isColored: false))
  }

  /// The same in colours; where the terminal can show them, blocks instead of letters.
  package static func colored(for durations: PhaseDurations, width: Int, palette: Palette) -> String {
    drawn(cells(for: durations, width: width), width: width, palette: palette)
  }

  /// The parts of the total, for a row that shows the total. The client's own part does not belong to it and gets exactly one
  /// cell, however long it took; so does the proxy's, if it took as long as a cell.
  static func ofTotal(_ durations: PhaseDurations, width: Int, palette: Palette) -> String {
    var apart: [(Phase, Int)] = durations[.client] == nil ? [] : [(.client, 1)]
    let whole = durations.ofTotal.disjoint.reduce(0) { $0 + $1.milliseconds }
    if let proxy = durations[.proxy], proxy * Double(width) >= whole { apart.append((.proxy, 1)) }
    if width <= apart.count { apart = [] }
    return drawn(apart + cells(for: durations.ofTotal, width: width - apart.count), width: width, palette: palette)
  }

  private static func drawn(_ cells: [(phase: Phase, count: Int)], width: Int, palette: Palette) -> String {
    let strip = cells.map { phase, count in
      let sign = palette.isColored && palette.isUnicode ? block : String(phase.letter)
      return palette.apply(phase.style, to: String(repeating: sign, count: count))
    }
    return strip.joined() + String(repeating: " ", count: max(0, width - cells.reduce(0) { $0 + $1.count }))
  }

  /// How many of `width` cells each phase gets, by largest remainder; none when nothing took time.
  static func cells(for durations: PhaseDurations, width: Int) -> [(phase: Phase, count: Int)] {
    let shares = durations.disjoint
    let total = shares.reduce(0) { $0 + $1.milliseconds }
    guard total > 0, total.isFinite, width > 0 else { return [] }
    let ideal = shares.map { $0.milliseconds / total * Double(width) }
    var counts = ideal.map { Int(saturating: $0) }
    let byRemainder = ideal.indices.sorted { remainder(ideal[$0]) > remainder(ideal[$1]) }
    for index in byRemainder.prefix(max(0, width - counts.reduce(0) { $0.addingSaturating($1) })) {
      counts[index] += 1
    }
    return zip(shares, counts).map { ($0.phase, $1) }.filter { $0.1 > 0 }
  }

  private static func remainder(_ value: Double) -> Double {
    value - value.rounded(.down)
  }
}

extension Phase {
  /// `b blocked  d dns  c connect  t TLS …`, each in its colour, in lines that are no wider than `width`.
  package static func legend(width: Int, palette: Palette) -> [String] {
    var lines: [(text: String, width: Int)] = []
    for phase in allCases {
      let sign = palette.isColored && palette.isUnicode ? PhaseStrip.block : String(phase.letter)
      let item = (text: palette.apply(phase.style, to: sign) + " " + phase.word, width: 2 + phase.word.count)
      if let last = lines.last, last.width + 2 + item.width <= width {
        lines[lines.count - 1] = (last.text + "  " + item.text, last.width + 2 + item.width)
      } else {
        lines.append(item)
      }
    }
    return lines.map(\.text)
  }
}
