/// `stats` for people: tables of at most `width` columns.
package struct StatisticsText {
  private let statistics: CaptureStatistics
  private let grouping: StatisticsGrouping
  private let groupCount: Int
  private let width: Int
  private let palette: Palette

  private static let figureWidth = 8
  private static let percents: [Double] = [50, 90, 95, 99]

  /// - Parameter groupCount: the most groups that are printed.
  package init(
    _ statistics: CaptureStatistics, grouping: StatisticsGrouping, groupCount: Int, width: Int, palette: Palette
  ) {
    self.statistics = statistics
    self.grouping = grouping
    self.groupCount = groupCount
    self.width = width
    self.palette = palette
  }

  package var lines: [String] {
    var lines = [summary]
    guard statistics.all.exchanges > 0 else { return lines }
    lines += [""] + phases
    lines += [""] + groups
    lines += [""] + slowest
    if !statistics.failures.isEmpty { lines += [""] + failures }
    return lines
  }

  private var summary: String {
    let all = statistics.all
    var parts = [Self.count(all.exchanges, "exchange"), "\(all.failures) failed"]
    if statistics.tunnels > 0 { parts.append(Self.count(statistics.tunnels, "tunnel")) }
    parts.append("\(ByteCountText.long(all.sentOctets)) up, \(ByteCountText.long(all.receivedOctets)) down")
    parts.append("\(statistics.newConnections) new and \(statistics.reusedConnections) reused connections")
    return parts.joined(separator: ", ")
  }

  private static func count(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }

  // MARK: Tables

  private var phases: [String] {
    var lines = [heading("phase", "count", ["p50", "p90", "p95", "p99", "max"])]
    for phase in Phase.allCases where statistics[phase].count > 0 {
      lines.append(row(phase == .ssl ? "  ssl" : phase.name, statistics[phase]))
    }
    lines.append(row("total", statistics.all.total))
    if statistics.overheadOnRequests.count > 0 { lines.append(row("proxy, request", statistics.overheadOnRequests)) }
    if statistics.overheadOnResponses.count > 0 { lines.append(row("proxy, response", statistics.overheadOnResponses)) }
    return lines
  }

  private func row(_ name: String, _ distribution: Distribution) -> String {
    let figures = Self.percents.map { duration(distribution.percentile($0)) } + [duration(distribution.maximum)]
    return line(name, String(distribution.count), figures)
  }

  private var groups: [String] {
    var lines = [heading(grouping.rawValue, "count", ["failed", "recv", "wait p50", "p50", "p95", "p99"])]
    let ranked = statistics.rankedGroups
    for (name, group) in ranked.prefix(groupCount) { lines.append(row(name, group)) }
    let hidden = ranked.dropFirst(groupCount).reduce(statistics.others?.exchanges ?? 0) { $0 + $1.statistics.exchanges }
    if hidden > 0 { lines.append(palette.apply(.dim, to: "… and \(hidden) exchanges in others; see --top")) }
    return lines
  }

  private func row(_ name: String, _ group: GroupStatistics) -> String {
    let figures = [
      String(group.failures), ByteCountText.compact(group.receivedOctets), duration(group.wait.percentile(50)),
      duration(group.total.percentile(50)), duration(group.total.percentile(95)), duration(group.total.percentile(99)),
    ]
    return line(name.printable, String(group.exchanges), figures)
  }

  private var slowest: [String] {
    var lines = [palette.apply(.bold, to: "slowest")]
    for exchange in statistics.slowest.exchanges {
      let why = "\(exchange.longest.name) \(DurationText.compact(exchange.longestDuration))"
      let start = "\("#\(exchange.number)".rightAligned(to: 6)) \(DurationText.compact(exchange.total).rightAligned(to: 7))"
      let status = exchange.status == 0 ? "ERR" : String(exchange.status)
      let head = "\(start)  \(why.padded(to: 15)) \(status) \(exchange.method.printable) "
      lines.append(head + exchange.url.printable.elided(to: max(20, width - head.count)))
    }
    return lines
  }

  private var failures: [String] {
    [palette.apply(.bold, to: "failures")]
      + statistics.rankedFailures.map { failure, count in
        String(count).rightAligned(to: 6) + " "
          + palette.apply(.red, to: failure.description.printable.elided(to: max(20, width - 7)))
      }
  }

  // MARK: Lines

  private func heading(_ name: String, _ count: String, _ figures: [String]) -> String {
    palette.apply(.bold, to: line(name, count, figures))
  }

  /// A name, a count, and figures aligned at the right; the name takes what they leave.
  private func line(_ name: String, _ count: String, _ figures: [String]) -> String {
    let tail = ([count] + figures).map { " " + $0.rightAligned(to: Self.figureWidth) }.joined()
    let nameWidth = max(12, width - tail.count)
    return name.elided(to: nameWidth).padded(to: nameWidth) + tail
  }

  private func duration(_ milliseconds: Double?) -> String {
    milliseconds.map(DurationText.compact) ?? "-"
  }
}
