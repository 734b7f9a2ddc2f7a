internal import TapelineBase

/// `stats` for people: tables of at most `width` columns.
package struct StatisticsText {
  private let statistics: CaptureStatistics
  private let groupCount: Int
  private let width: Int
  private let palette: Palette

  private static let percents: [Double] = [50, 90, 95, 99]
  /// From this width on, groups have a further column.
  private static let wideFrom = 100
  /// The most cells for the name of a file before the number of an exchange.
  private static let placeLimit = 32
  /// A URL with fewer cells gets a line of its own.
  private static let leastURL = 20

  /// - Parameter groupCount: the maximum number of groups to print.
  package init(
    _ statistics: CaptureStatistics, groupCount: Int, width: Int, palette: Palette
  ) {
    self.statistics = statistics
    self.groupCount = groupCount
    self.width = width
    self.palette = palette
  }

  package var lines: [String] {
    var lines = summary.wrapped(to: width)
    guard statistics.all.exchanges > 0 else { return lines }
    lines += [""] + phases
    lines += [""] + groups
    lines += [""] + slowest
    if !statistics.failures.isEmpty || !statistics.errorStatuses.isEmpty { lines += [""] + errors }
    return lines
  }

  private var summary: String {
    let all = statistics.all
    let captures = statistics.captures > 1 ? [Count.text(statistics.captures, "capture")] : []
    var parts = captures + [Count.text(all.exchanges, "exchange"), "\(all.failures) failed"]
    if all.ended > 0 { parts.append("\(all.ended) ended by the client") }
    if statistics.switched > 0 { parts.append(Count.text(statistics.switched, "WebSocket")) }
    if statistics.tunnels > 0 { parts.append(Count.text(statistics.tunnels, "tunnel")) }
    if statistics.crashes > 0 { parts.append("\(Count.text(statistics.crashes, "crash", "crashes")) of tapeline itself") }
    if statistics.bypassed > 0 { parts.append("\(Count.text(statistics.bypassed, "connection")) past the proxy") }
    parts.append("\(ByteCountText.long(all.sentBytes)) up, \(ByteCountText.long(all.receivedBytes)) down")
    parts.append("\(statistics.newConnections) new and \(statistics.reusedConnections) reused connections")
    return parts.joined(separator: ", ")
  }

  // MARK: Phases

  private var phases: [String] {
    var table = FigureTable(name: "phase", figures: ["count", "p50", "p90", "p95", "p99", "max", "share"])
    // The proxy's part has a line at the end, with what it took on the way back.
    for phase in Phase.allCases where phase != .proxy && statistics[phase].count > 0 {
      add(phase == .ssl ? "  ssl" : phase.name, statistics[phase], isShare: phase.isOfTotal, to: &table)
    }
    add("total", statistics.all.total, to: &table)
    add("proxy, request", statistics.overheadOnRequests, isShare: false, to: &table)
    add("proxy, response", statistics.overheadOnResponses, isShare: false, to: &table)
    return table.lines(width: width, palette: palette)
  }

  private func add(_ name: String, _ distribution: Distribution, isShare: Bool = true, to table: inout FigureTable) {
    guard distribution.count > 0 else { return }
    let figures = Self.percents.map { duration(distribution.percentile($0)) } + [duration(distribution.maximum)]
    table.add(name, [String(distribution.count)] + figures + [isShare ? share(distribution.sum) : "-"])
  }

  /// The share of the time of all exchanges.
  private func share(_ milliseconds: Double) -> String {
    let whole = statistics.all.total.sum
    return whole > 0 ? fixed(milliseconds / whole * 100, decimals: 1) + "%" : "-"
  }

  // MARK: Groups

  private var groups: [String] {
    let isWide = width >= Self.wideFrom
    var table = FigureTable(
      name: statistics.groupings.map(\.name).joined(separator: ", "),
      figures: ["count", "failed", "recv", "wait p50"] + (isWide ? ["wait p95"] : []) + ["p50", "p95", "p99", "share"])
    let ranked = statistics.rankedGroups
    for group in ranked.prefix(groupCount) {
      let (wait, total) = (group.statistics.wait, group.statistics.total)
      let waits = (isWide ? [50, 95] : [50]).map { wait.percentile($0) }
      let times = waits + [50, 95, 99].map { total.percentile($0) }
      let counts = [String(group.statistics.exchanges), String(group.statistics.failures)]
      table.add(
        group.name.printable,
        counts + [ByteCountText.compact(group.statistics.receivedBytes)] + times.map(duration) + [share(total.sum)])
    }
    let hidden = ranked.dropFirst(groupCount).reduce(statistics.others?.exchanges ?? 0) { $0 + $1.statistics.exchanges }
    let lines = table.lines(width: width, palette: palette)
    guard hidden > 0 else { return lines }
    let missing = statistics.missingFromGroups
    let remark = missing > 0 ? "; a group may lack up to \(DurationText.compact(missing)), since there are very many" : ""
    let rest = "… and \(Count.text(hidden, "exchange")) in others; see --top\(remark)".wrapped(to: width)
    return lines + rest.map { palette.apply(.dim, to: $0) }
  }

  // MARK: Single exchanges

  private var slowest: [String] {
    var lines = [palette.apply(.bold, to: "slowest")]
    let places = places(statistics.slowest.exchanges.map(\.place))
    for (exchange, place) in zip(statistics.slowest.exchanges, places) {
      let why = "\(exchange.longest.name) \(DurationText.compact(exchange.longestDuration))"
      let start = "\(place) \(DurationText.compact(exchange.total).rightAligned(to: 7))"
      let head = "\(start)  \(why.padded(to: 15)) \(exchange.outcome) \(exchange.method.printable) "
      let room = width - head.cellCount
      if room >= Self.leastURL {
        lines.append(head + exchange.url.printable.elided(to: room))
      } else {
        lines += [head.withoutBlanksAtEnd, "  " + exchange.url.printable.elided(to: width - 2)]
      }
    }
    return lines
  }

  private var errors: [String] {
    let failures = statistics.rankedFailures.map { ($0, TerminalStyle.red) }
    let ranked = failures + statistics.rankedErrorStatuses.map { ($0, TerminalStyle.yellow) }
    let places = places(ranked.map(\.0.occurrences.first))
    let placeWidth = places.first?.cellCount ?? 0
    let heading = palette.apply(.bold, to: "\("errors".padded(to: 6)) \("first".rightAligned(to: placeWidth))")
    return [heading]
      + zip(ranked, places).map { ranked, place in
        let (error, style) = ranked
        let count = String(error.occurrences.count).rightAligned(to: 6)
        let text = error.failure.description.printable.elided(to: max(1, width - placeWidth - 9))
        return "\(count) \(place)  \(palette.apply(style, to: text))"
      }
  }

  /// Right-aligned, all as wide as the longest, within limits; of a long name of a file, the end stays.
  private func places(_ places: [ExchangePlace]) -> [String] {
    let texts = places.map { place in
      let text = place.text.printable
      return text.cellCount <= Self.placeLimit ? text : "…" + text.suffix(cells: Self.placeLimit - 1)
    }
    let cells = max(6, texts.map(\.cellCount).max() ?? 0)
    return texts.map { $0.rightAligned(to: cells) }
  }

  private func duration(_ milliseconds: Double?) -> String {
    milliseconds.map(DurationText.compact) ?? "-"
  }
}

/// A table of names with right-aligned figures after them. Names get the width that the figures leave, but no more than the
/// longest name needs.
struct FigureTable {
  private let name: String
  private let headings: [String]
  private var rows: [(name: String, figures: [String])] = []

  private static let leastNameWidth = 8
  private static let leastFigureWidth = 6

  init(name: String, figures: [String]) {
    self.name = name
    headings = figures
  }

  mutating func add(_ name: String, _ figures: [String]) {
    precondition(figures.count == headings.count, "A row has a figure for each heading")
    rows.append((name, figures))
  }

  /// Two spaces between columns, or one if the width is short.
  func lines(width: Int, palette: Palette) -> [String] {
    let widths = headings.indices.map { column in
      max(Self.leastFigureWidth, headings[column].count, rows.map { $0.figures[column].count }.max() ?? 0)
    }
    let longest = max(name.cellCount, rows.map(\.name.cellCount).max() ?? 0)
    let room = width - widths.reduce(0, +)
    let gap = room - 2 * widths.count >= min(longest, 16) ? 2 : 1
    let nameWidth = min(longest, max(Self.leastNameWidth, room - gap * widths.count))
    func line(_ name: String, _ figures: [String]) -> String {
      let cells = zip(figures, widths).map { String(repeating: " ", count: gap) + $0.rightAligned(to: $1) }
      return name.elided(to: nameWidth).padded(to: nameWidth) + cells.joined()
    }
    return [palette.apply(.bold, to: line(name, headings))] + rows.map { line($0.name, $0.figures) }
  }
}
