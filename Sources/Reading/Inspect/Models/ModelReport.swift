internal import TapelineHAR

/// A view of the calls of models in a capture.
package enum ModelView: String, CaseIterable, Sendable {
  case calls
  /// Where the time of each turn of an agent went.
  case turns
  /// The fate of the prompt's prefix that a server keeps.
  case cache

  /// The columns: the names of members, and what people see above them. Those of wide tables alone are marked.
  fileprivate var columns: [(name: String, heading: String, isWide: Bool)] {
    switch self {
    case .calls:
      [
        ("in", "in", false), ("cached", "cached", false), ("out", "out", false), ("reasoning", "think", true),
        ("first", "first", false), ("gap.p50", "gap p50", true), ("gap.max", "gap max", false), ("rate", "tok/s", true),
        ("stalls", "stalls", true), ("retries", "retries", true), ("total", "total", false), ("stop", "stop", false),
      ]
    case .turns:
      [
        ("turn", "turn", false), ("model.time", "model", false), ("tool.time", "tools", false),
        ("network.time", "network", false), ("client.time", "client", false), ("tools", "called", false),
      ]
    case .cache: [("in", "in", false), ("cached", "cached", false), ("written", "written", true), ("prefix", "prefix", false)]
    }
  }

  /// The members that only programs get.
  fileprivate var more: [String] {
    switch self {
    case .calls: ["status", "tools", "text"]
    case .turns: []
    case .cache: ["left", "pause", "expired"]
    }
  }

  fileprivate var names: [String] { ["number", "conversation", "model"] + columns.map(\.name) + more }
}

/// The calls of models in a capture as a table, for people and for programs.
package struct ModelReport: Sendable {
  private let rows: [HARObject]
  private let view: ModelView

  /// From this width on, tables have all columns.
  private static let wideFrom = 116
  /// The most cells of a text among figures.
  private static let textLimit = 24
  private static let durations: Set<String> = [
    "first", "gap.p50", "gap.max", "total", "model.time", "tool.time", "network.time", "client.time",
  ]

  package init(_ calls: ModelCalls, _ view: ModelView) {
    (rows, self.view) = (calls.finished, view)
  }

  /// An object in a line for each row; `null` is not known. Times are in milliseconds.
  package var jsonLines: [String] {
    rows.map { row in
      var members = HARObject()
      for name in view.names { members[name] = row[name] ?? .null }
      return String(decoding: TerminalJSON.escaped(HARValue.object(members).json), as: UTF8.self)
    }
  }

  /// A heading and a line for each row (RFC 4180), without their line feeds.
  package func csv(_ style: CSVLine.Style) -> [String] {
    let lines = [view.names] + rows.map { row in view.names.map { QueryValue(.object(row), at: [$0]).plainText } }
    return lines.map { String(decoding: CSVLine.text(of: $0, style).utf8.dropLast(), as: UTF8.self) }
  }

  /// A table of at most `width` columns, and what it amounts to.
  package func lines(width: Int, palette: Palette) -> [String] {
    guard !rows.isEmpty else { return ["no call of a model"] }
    let columns = view.columns.filter { !$0.isWide || width >= Self.wideFrom }
    var table = FigureTable(name: "   # model", figures: columns.map(\.heading))
    for row in rows {
      let place = QueryValue(.object(row), at: ["number"]).plainText.rightAligned(to: 4)
      table.add("\(place) \((row["model"]?.string ?? "-").printable)", columns.map { text(of: $0.name, in: row) })
    }
    return table.lines(width: width, palette: palette) + [""]
      + ModelSummary(rows).sentences(of: view).flatMap { $0.wrapped(to: width) }
  }

  private func text(of name: String, in row: HARObject) -> String {
    if name == "prefix" { return prefix(of: row) }
    if Self.durations.contains(name) { return row[name]?.double.map(DurationText.compact) ?? "-" }
    if name == "rate" { return row[name]?.double.map { MeasureText.trimmed($0, decimals: 1) } ?? "-" }
    let text = QueryValue(.object(row), at: [name][...]).plainText.printable
    return text.isEmpty ? "-" : text.elided(to: Self.textLimit)
  }

  private func prefix(of row: HARObject) -> String {
    if let place = row["left"]?.string { return "left at \(place)".printable }
    let prefix = row["prefix"]?.string ?? "-"
    guard prefix == "same", row["cached"]?.integer == 0, let pause = row["pause"]?.double else { return prefix }
    let reason = row["expired"]?.bool == true ? "may have expired" : "not kept, for a reason unknown"
    return "same, \(DurationText.compact(pause)) later: \(reason)"
  }
}
