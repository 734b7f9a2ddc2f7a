internal import TapelineBase
package import TapelineHAR

/// The figures of `stats --events`: of streams alone, each group with all gaps of all its streams. Memory does not grow with the
/// number of streams.
package struct StreamStatistics: Sendable {
  private struct Figures: Sendable {
    var streams = 0
    var events = 0
    var stalls = 0
    var first = Distribution()
    var gaps = Distribution()

    mutating func add(_ timing: StreamTiming, stall: Double) {
      streams += 1
      events += timing.count
      stalls += timing.stalls(above: stall)
      if let time = timing.first { first.add(time) }
      gaps.add(timing.gaps.lazy.map(\.milliseconds))
    }
  }

  private let groupings: [StatisticsGrouping]
  private let stall: Double
  private var all = Figures()
  private var groups: [String: Figures] = [:]

  /// More groups are one together.
  private static let groupLimit = 1_000

  /// - Parameter stall: a longer gap is a stall, in milliseconds.
  package init(by groupings: [StatisticsGrouping], stall: Double) {
    self.groupings = groupings
    self.stall = stall
  }

  /// The parts of an entry that the figures need.
  package static func parts(_ groupings: [StatisticsGrouping]) -> HAREntryParts {
    groupings.reduce(into: RecordedStream.parts) { $0.formUnion($1.parts) }
  }

  /// - Parameter number: the place of the exchange in its file, from 1.
  package mutating func add(_ entry: HAREntry, number: Int) {
    guard let timing = StreamTiming(entry), timing.count > 0 else { return }
    all.add(timing, stall: stall)
    let key = groupings.map { $0.key(of: entry, number: number) }.joined(separator: ", ")
    let isKnown = groups[key] != nil || groups.count < Self.groupLimit
    groups[isKnown ? key : "other", default: Figures()].add(timing, stall: stall)
  }

  /// The groups with the most events first.
  private var ranked: [(name: String, figures: Figures)] {
    groups.map { (name: $0.key, figures: $0.value) }.sorted { ($1.figures.events, $0.name) < ($0.figures.events, $1.name) }
  }

  /// - Parameter groupCount: the maximum number of groups to print.
  package func lines(groupCount: Int, width: Int, palette: Palette) -> [String] {
    guard all.streams > 0 else { return ["no streams: no response with events, and no messages"] }
    var table = FigureTable(
      name: groupings.map(\.name).joined(separator: ", "),
      figures: ["streams", "events", "first p50", "gap p50", "p99", "max", "stalls"])
    for (name, figures) in ranked.prefix(groupCount) { add(figures, name.printable, to: &table) }
    if groups.count > 1 { add(all, "all", to: &table) }
    let stall = DurationText.compact(self.stall)
    let words = "first: from the end of the request to the first content; gap: between events; stalls: gaps above \(stall)"
    return table.lines(width: width, palette: palette) + words.wrapped(to: width).map { palette.apply(.dim, to: $0) }
  }

  private func add(_ figures: Figures, _ name: String, to table: inout FigureTable) {
    let times = [figures.first.percentile(50), figures.gaps.percentile(50), figures.gaps.percentile(99), figures.gaps.maximum]
    table.add(
      name,
      [String(figures.streams), String(figures.events)] + times.map { $0.map(DurationText.compact) ?? "-" }
        + [String(figures.stalls)])
  }

  /// Times in milliseconds; unknown values are omitted.
  package var json: HARValue {
    var members = json(of: all)
    members["groups"] = .array(
      ranked.map { group in
        var object = json(of: group.figures)
        object["name"] = .string(group.name)
        return .object(object)
      })
    return .object(members)
  }

  private func json(of figures: Figures) -> HARObject {
    [
      "streams": .number(HARNumber(figures.streams)), "events": .number(HARNumber(figures.events)),
      "stalls": .number(HARNumber(figures.stalls)), "first": figures.first.json, "gap": figures.gaps.json,
    ]
  }
}
