/// The table of `list`: one line per exchange, made for a width, without looking at any other line (so memory stays flat).
///
/// Every column but the URL has its width; the URL takes what is left. From `wideFrom` columns on, each phase is a column of
/// figures; below, all of them are one strip of letters.
package struct ExchangeTable: Sendable {
  private let columns: [Column]
  private let urlWidth: Int
  private let palette: Palette

  /// The least width in which seven columns of phases leave a URL readable.
  private static let wideFrom = 140
  private static let minimumURLWidth = 12

  package init(width: Int, palette: Palette) {
    let isWide = width >= Self.wideFrom
    columns = Column.all(isWide: isWide)
    let fixedWidth = columns.reduce(0) { $0 + ($1.content == .url ? 0 : $1.width) } + columns.count - 1
    urlWidth = max(Self.minimumURLWidth, width - fixedWidth)
    self.palette = palette
  }

  /// The names of the columns.
  package var heading: String {
    line { column in (column.heading, .bold) }
  }

  package func line(for row: ExchangeRow) -> String {
    line { column in cell(column.content, of: row) }
  }

  private func line(_ cell: (Column) -> (text: String, style: TerminalStyle)) -> String {
    let cells = columns.map { column in
      let (text, style) = cell(column)
      let width = column.content == .url ? urlWidth : column.width
      let aligned = column.isRightAligned ? text.rightAligned(to: width) : text.padded(to: width)
      return palette.apply(style, to: aligned)
    }
    return cells.joined(separator: " ")
  }

  private func cell(_ content: Column.Content, of row: ExchangeRow) -> (text: String, style: TerminalStyle) {
    switch content {
    case .number: (String(row.number), .dim)
    case .start(let milliseconds): (row.timeOfDay(milliseconds: milliseconds), .plain)
    case .method: (row.method.printable.elided(to: 7), .plain)
    case .url: (row.url.printable.elided(to: urlWidth), .plain)
    case .status: (text(of: row.outcome), style(of: row.outcome))
    case .sent: (ByteCountText.compact(row.sent), .plain)
    case .received: (ByteCountText.compact(row.received), .plain)
    case .strip(let width): (PhaseStrip.text(for: row.phases, width: width), .cyan)
    case .phase(let phase): (row.phases[phase].map(DurationText.compact) ?? "-", .plain)
    case .total: (DurationText.compact(row.total), .bold)
    }
  }

  private func text(of outcome: ExchangeRow.Outcome) -> String {
    switch outcome {
    case .status(let code): String(code)
    case .failed(status: .some(let code)): String(code) + "!"
    case .failed(status: nil): "ERR"
    }
  }

  private func style(of outcome: ExchangeRow.Outcome) -> TerminalStyle {
    switch outcome {
    case .failed: .red
    case .status(500...): .red
    case .status(400...499): .yellow
    case .status(300...399): .cyan
    case .status(200...299): .green
    case .status: .plain
    }
  }
}

/// One column of the table.
private struct Column: Sendable {
  enum Content: Sendable, Hashable {
    case number
    case start(milliseconds: Bool)
    case method
    case url
    case status
    case sent
    case received
    case strip(width: Int)
    case phase(Phase)
    case total
  }

  let content: Content
  let heading: String
  /// Unused for the URL, which takes what the others leave.
  let width: Int
  let isRightAligned: Bool

  static func all(isWide: Bool) -> [Column] {
    let stripWidth = 8
    let phases =
      isWide
      ? Phase.allCases.map { right(.phase($0), $0.name, max(6, $0.name.count)) }
      : [left(.strip(width: stripWidth), "phases", stripWidth)]
    return [
      right(.number, "#", 4),
      left(.start(milliseconds: isWide), "start", isWide ? 12 : 8),
      left(.method, "method", 7),
      left(.url, "URL", 0),
      right(.status, "code", 4),
      right(.sent, "sent", 5),
      right(.received, "recv", 5),
    ] + phases + [right(.total, "total", 6)]
  }

  private static func left(_ content: Content, _ heading: String, _ width: Int) -> Column {
    Column(content: content, heading: heading, width: width, isRightAligned: false)
  }

  private static func right(_ content: Content, _ heading: String, _ width: Int) -> Column {
    Column(content: content, heading: heading, width: width, isRightAligned: true)
  }
}
