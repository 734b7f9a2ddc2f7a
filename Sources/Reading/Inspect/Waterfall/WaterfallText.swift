internal import TapelineBase

/// A waterfall for a terminal: one line per exchange, with a bar that begins where the exchange began.
package struct WaterfallText {
  private let waterfall: Waterfall
  private let width: Int
  private let palette: Palette
  private let labelWidth: Int
  private let barWidth: Int

  private static let numberWidth = 4
  private static let outcomeWidth = 4
  private static let totalWidth = 6
  private static let labelWidths = 16...64
  private static let leastBarWidth = 10

  package init(_ waterfall: Waterfall, width: Int, palette: Palette) {
    self.waterfall = waterfall
    self.width = width
    self.palette = palette
    labelWidth = min(max(width * 3 / 10, Self.labelWidths.lowerBound), Self.labelWidths.upperBound)
    // One blank between the columns.
    barWidth = max(Self.leastBarWidth, width - Self.numberWidth - Self.outcomeWidth - Self.totalWidth - labelWidth - 4)
  }

  package var lines: [String] {
    let groups = waterfall.groups
    guard !groups.isEmpty else { return ["no exchanges"] }
    let whole = groups.map(\.span.lowerBound).min().map { $0..<(groups.map(\.span.upperBound).max() ?? $0) } ?? 0..<0
    var lines: [String] = []
    for group in groups {
      if !lines.isEmpty { lines.append("") }
      lines += self.lines(of: group, over: waterfall.grouping.hasOwnScales ? group.span : whole)
    }
    if waterfall.undated > 0 {
      lines += ["", palette.apply(.dim, to: "not drawn, without a date: \(Count.text(waterfall.undated, "exchange"))")]
    }
    return lines + [""] + Phase.legend(width: width, palette: palette)
  }

  private func lines(of group: WaterfallGroup, over span: Range<Int>) -> [String] {
    let axis = TimeAxis(duration: milliseconds(in: span), width: barWidth)
    let origin = group.commonOrigin
    let indent = String(repeating: " ", count: Self.numberWidth + Self.outcomeWidth + labelWidth + 3)
    return heading(of: group, origin: origin) + [indent + palette.apply(.dim, to: axis.text)]
      + group.bars.flatMap { bar in
        [line(for: bar, from: span.lowerBound, axis, origin: origin)] + ticks(of: bar, from: span.lowerBound, axis)
          + limit(of: bar, indent: indent)
      }
  }

  private func heading(of group: WaterfallGroup, origin: String?) -> [String] {
    let duration = DurationText.compact(group.duration)
    let remarks = (["\(Count.text(group.bars.count, "exchange")) in \(duration)"] + group.remarks + [origin].compactMap(\.self))
      .joined(
        separator: ", ")
    guard group.title.cellCount + remarks.cellCount + 2 <= width else {
      return [palette.apply(.bold, to: group.title.elided(to: width)), "  " + remarks.elided(to: width - 2)]
    }
    return [palette.apply(.bold, to: group.title) + "  " + remarks]
  }

  private func line(for bar: WaterfallBar, from origin: Int, _ axis: TimeAxis, origin common: String?) -> String {
    let start = milliseconds(in: origin..<max(origin, bar.start))
    let cells = axis.cells(from: start, for: bar.time)
    let phases = PhaseStrip.colored(for: bar.phases, width: cells, palette: palette)
    // An exchange that took no time still happened.
    let drawn = PhaseStrip.cells(for: bar.phases, width: cells).isEmpty ? "|" + String(repeating: " ", count: cells - 1) : phases
    let offset = axis.cell(at: start)
    let rest = String(repeating: " ", count: max(0, barWidth - offset - cells))
    return [
      palette.apply(.dim, to: String(bar.number).rightAligned(to: Self.numberWidth)),
      palette.apply(bar.outcomeStyle, to: bar.outcome.rightAligned(to: Self.outcomeWidth)),
      label(of: bar, common).elided(to: labelWidth).padded(to: labelWidth),
      String(repeating: " ", count: offset) + drawn + rest,
      palette.apply(bar.isFailed ? .red : .bold, to: total(of: bar).rightAligned(to: Self.totalWidth)),
    ].joined(separator: " ")
  }

  /// A line of its own below the bar of a stream, with a tick where events came.
  private func ticks(of bar: WaterfallBar, from origin: Int, _ axis: TimeAxis) -> [String] {
    guard let stream = bar.stream else { return [] }
    let start = milliseconds(in: origin..<max(origin, bar.start))
    var cells = [Character](repeating: " ", count: barWidth)
    for time in stream.times { cells[axis.cell(at: start + time)] = palette.isUnicode ? "╵" : "'" }
    let label = stream.text.elided(to: labelWidth).padded(to: labelWidth)
    let indent = String(repeating: " ", count: Self.numberWidth + Self.outcomeWidth + 2)
    return [indent + palette.apply(.dim, to: "\(label) \(String(cells))".withoutBlanksAtEnd)]
  }

  private func total(of bar: WaterfallBar) -> String {
    bar.total.map(DurationText.compact) ?? "-"
  }

  /// A line of its own below the bar of a slow transfer.
  private func limit(of bar: WaterfallBar, indent: String) -> [String] {
    guard let limit = bar.limit else { return [] }
    return [indent + palette.apply(.dim, to: "limited \(limit)".elided(to: max(Self.leastBarWidth, width - indent.count)))]
  }

  /// Method and URL, without the part that the heading names.
  private func label(of bar: WaterfallBar, _ common: String?) -> String {
    let place = common.map { bar.url.dropFirst($0.count) } ?? bar.url.split(separator: "://", maxSplits: 1).last ?? bar.url[...]
    return "\(bar.method) \(place)"
  }
}
