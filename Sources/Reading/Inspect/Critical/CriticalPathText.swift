internal import TapelineBase

/// The critical paths of a capture for a terminal: tables of at most `width` columns, and a sentence about each page.
package struct CriticalPathText {
  private let paths: [CriticalPath]
  private let search: CriticalPathSearch
  private let beside: Int
  private let width: Int
  private let palette: Palette

  private static let numberWidth = 5
  private static let timeWidth = 6
  /// With a question mark.
  private static let figureWidth = 7
  private static let whyWidths = 14...20
  private static let leastURL = 16
  /// More exchanges of a path, and more pages, do not fit a screen.
  private static let longestPath = 20
  private static let mostPages = 10

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
    guard paths.count > Self.mostPages else { return Array(paths.map(lines).joined(separator: [""])) + leftOut }
    let longest = paths.indices.sorted { (paths[$0].duration, $1) > (paths[$1].duration, $0) }.prefix(Self.mostPages)
    let rest = "and \(Count.text(paths.count - longest.count, "shorter page")): --page prints one of them"
    return Array(longest.sorted().map { lines(of: paths[$0]) }.joined(separator: [""])) + [""] + rest.wrapped(to: width) + leftOut
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
    for (place, rows) in path.paths.enumerated() where place == 0 || rows.count <= Self.longestPath {
      if place > 0 { lines.append("or, as long:") }
      lines.append(columns("saves"))
      lines += self.lines(of: rows.map { path.rows[$0] })
    }
    let nearest = path.nearest.prefix(beside)
    if !nearest.isEmpty {
      lines += ["", columns("slack")]
      lines += nearest.map { line(for: $0, figure: $0.slack) }
    }
    return lines + [""] + Self.sentence(about: path, width: width).wrapped(to: width)
  }

  /// A path of any length in a screen: the rows that cost most, in the order of time.
  private func lines(of path: [CriticalPath.Row]) -> [String] {
    guard path.count > Self.longestPath else { return path.map { line(for: $0, figure: $0.saving) } }
    let byCost = path.indices.sorted { (path[$0].saving + path[$0].clientTime, $1) > (path[$1].saving + path[$1].clientTime, $0) }
    let shown = Set(byCost.prefix(Self.longestPath - 2)).union([0, path.count - 1])
    var lines: [String] = []
    var hidden: [CriticalPath.Row] = []
    func close() {
      guard let first = hidden.first, let last = hidden.last else { return }
      let time = DurationText.compact(last.offset + last.duration - first.offset)
      lines.append(palette.apply(.dim, to: "… \(Count.text(hidden.count, "exchange")) in \(time)".elided(to: width)))
      hidden = []
    }
    for index in path.indices {
      guard shown.contains(index) else {
        hidden.append(path[index])
        continue
      }
      close()
      lines.append(line(for: path[index], figure: path[index].saving))
    }
    close()
    return lines
  }

  private var whyWidth: Int { min(max(width / 5, Self.whyWidths.lowerBound), Self.whyWidths.upperBound) }

  private func columns(_ figure: String) -> String {
    let figures =
      ["at", "client", "took"].map { $0.rightAligned(to: Self.timeWidth) } + [figure.rightAligned(to: Self.figureWidth)]
    let line = (["#".rightAligned(to: Self.numberWidth)] + figures + ["why".padded(to: whyWidth), "exchange"]).joined(
      separator: " ")
    return palette.apply(.bold, to: line.elided(to: width))
  }

  private func line(for row: CriticalPath.Row, figure: Double?) -> String {
    let cause = row.causes.first
    let times = [
      DurationText.compact(row.offset), cause == nil ? "-" : DurationText.compact(row.clientTime),
      DurationText.compact(row.duration),
    ].map { $0.rightAligned(to: Self.timeWidth) }
    let why = cause.map { "\($0.reason.phrase) \($0.number)" } ?? "by itself"
    let room = max(Self.leastURL, width - Self.numberWidth - 3 * (Self.timeWidth + 1) - Self.figureWidth - 1 - whyWidth - 2)
    let exchange = Self.name(of: row, width: room)
    return
      ([palette.apply(.dim, to: String(row.number).rightAligned(to: Self.numberWidth))] + times + [
        palette.apply(.bold, to: figureText(figure, isSure: row.isSure).rightAligned(to: Self.figureWidth)),
        why.elided(to: whyWidth).padded(to: whyWidth), row.isFailed ? palette.apply(.red, to: exchange) : exchange,
      ]).joined(separator: " ")
  }

  private func figureText(_ figure: Double?, isSure: Bool) -> String {
    guard let figure else { return "-" }
    return DurationText.compact(figure) + (isSure || figure == 0 ? "" : "?")
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
    var sentences: [String] = []
    if let row = path.costliest {
      let rest = DurationText.compact(max(0, path.duration - row.saving))
      let name = name(of: row, width: min(80, max(leastURL, width - 2)))
      sentences.append(
        "Without #\(row.number), \(name), the end \(row.isSure ? "would" : "may") come "
          + "\(DurationText.compact(row.saving)) earlier: after \(rest), not \(whole)"
          + (path.rival.map { "; #\($0.number) may have cost more, up to \(DurationText.compact($0.duration))" } ?? "") + ".")
    } else if path.paths.count > 1 {
      sentences.append("No single exchange delays the end at \(whole): \(path.paths.count) paths are equally long.")
    } else {
      sentences.append(
        path.rows.isEmpty || path.duration == 0 ? "No exchange took any time." : "No single exchange delays the end at \(whole).")
    }
    if let group = path.group {
      sentences.append("Without the \(group.text) together, it may come \(DurationText.compact(group.saving)) earlier.")
    }
    let client = path.clientTime
    if client > 0 { sentences.append("The client itself took \(DurationText.compact(client)) of the path.") }
    if let remark = path.remark {
      sentences.append(
        "Nothing explains \(DurationText.compact(remark.clientTime)) of that, before #\(remark.next); "
          + "#\(remark.ended) had ended \(DurationText.compact(remark.pause)) before it, and may be the reason.")
    }
    return sentences.joined(separator: " ")
  }

}
