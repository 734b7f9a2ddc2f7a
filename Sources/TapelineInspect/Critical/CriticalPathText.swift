internal import TapelineText

/// The critical paths of a capture for a terminal: tables of at most `width` columns, and a sentence about each page.
package struct CriticalPathText {
  private let paths: [CriticalPath]
  private let search: CriticalPathSearch
  private let beside: Int
  private let width: Int
  private let palette: Palette

  private static let numberWidth = 5
  private static let timeWidth = 6
  private static let whyWidths = 14...20
  private static let leastURL = 16

  /// - Parameter beside: how many exchanges beside the path to print.
  package init(_ search: CriticalPathSearch, beside: Int, width: Int, palette: Palette) {
    self.search = search
    paths = search.paths
    self.beside = beside
    self.width = width
    self.palette = palette
  }

  package var lines: [String] {
    guard !paths.isEmpty else { return ["no exchanges"] + leftOut }
    return Array(paths.map(lines).joined(separator: [""])) + leftOut
  }

  private var leftOut: [String] {
    let parts = [(search.undated, "without a date"), (search.lifetimes, "a tunnel or WebSocket")].filter { $0.0 > 0 }
    guard !parts.isEmpty else { return [] }
    return [
      "",
      palette.apply(.dim, to: "left out: " + parts.map { "\(Count.text($0.0, "exchange")), \($0.1)" }.joined(separator: "; ")),
    ]
  }

  private func lines(of path: CriticalPath) -> [String] {
    let title = (path.title.isEmpty ? "no page" : path.title).printable
    let remarks = "\(Count.text(path.rows.count, "exchange")) in \(DurationText.compact(path.duration))"
    let heading =
      title.cellCount + remarks.cellCount + 2 <= width
      ? [palette.apply(.bold, to: title) + "  " + remarks]
      : [palette.apply(.bold, to: title.elided(to: width)), "  " + remarks]
    var lines = heading
    for (place, rows) in path.paths.enumerated() {
      if place > 0 { lines.append("or, as long:") }
      lines.append(columns("saves"))
      lines += rows.map { line(for: path.rows[$0], figure: path.rows[$0].saving) }
    }
    let others = path.nearest.prefix(beside)
    if !others.isEmpty { lines += ["", columns("slack")] + others.map { line(for: $0, figure: $0.slack) } }
    return lines + [""] + Self.sentence(about: path, width: width).wrapped(to: width)
  }

  private var whyWidth: Int { min(max(width / 5, Self.whyWidths.lowerBound), Self.whyWidths.upperBound) }

  private func columns(_ figure: String) -> String {
    let figures = ["at", "client", "took", figure].map { $0.rightAligned(to: Self.timeWidth) }
    let line = (["#".rightAligned(to: Self.numberWidth)] + figures + ["why".padded(to: whyWidth), "exchange"]).joined(
      separator: " ")
    return palette.apply(.bold, to: line.elided(to: width))
  }

  private func line(for row: CriticalPath.Row, figure: Double) -> String {
    let cause = row.causes.first
    let times = [
      DurationText.compact(row.offset), cause == nil ? "-" : DurationText.compact(row.clientTime),
      DurationText.compact(row.duration),
    ].map { $0.rightAligned(to: Self.timeWidth) }
    let why = cause.map { "\($0.reason.phrase) \($0.number)" } ?? "by itself"
    let room = max(Self.leastURL, width - Self.numberWidth - 4 * (Self.timeWidth + 1) - whyWidth - 2)
    let exchange = Self.name(of: row, width: room)
    return
      ([palette.apply(.dim, to: String(row.number).rightAligned(to: Self.numberWidth))] + times + [
        palette.apply(.bold, to: DurationText.compact(figure).rightAligned(to: Self.timeWidth)),
        why.elided(to: whyWidth).padded(to: whyWidth), row.isFailed ? palette.apply(.red, to: exchange) : exchange,
      ]).joined(separator: " ")
  }

  /// The method and the address in at most `width` cells, as `list` shortens them.
  private static func name(of row: CriticalPath.Row, width: Int) -> String {
    let method = row.method.printable
    let place = RequestPlace(row.url).text(under: nil, width: max(leastURL, width - method.cellCount - 1))
    return "\(method) \(place)".elided(to: width)
  }

  /// The conclusion.
  ///
  /// - Parameter width: of the lines on which it comes: no word of it is longer.
  static func sentence(about path: CriticalPath, width: Int = 80) -> String {
    let whole = DurationText.compact(path.duration)
    guard let row = path.costliest else {
      return path.paths.count > 1
        ? "No single exchange delays the end at \(whole): \(path.paths.count) paths are equally long."
        : "No exchange took any time."
    }
    let rest = DurationText.compact(max(0, path.duration - row.saving))
    let client = path.clientTime
    let share = client > 0 ? " The client itself took \(DurationText.compact(client)) of the path." : ""
    let name = name(of: row, width: min(80, max(leastURL, width - 2)))
    return "Without #\(row.number), \(name), the end would come \(DurationText.compact(row.saving)) earlier: after \(rest), "
      + "not \(whole).\(share)"
  }

}
