package import TapelineHAR

/// The table of `list`: one row per exchange, fitted to a width without looking at any other row (so memory stays flat).
///
/// Every column but one has a fixed width; the URL, or else the last column of text, gets the remaining width. A figure wider
/// than its column also takes the missing cells from there.
package struct ExchangeTable: Sendable {
  private let columns: [TableColumn]
  private let width: Int
  private let palette: Palette
  private let clock: WallClock

  /// - Parameters:
  ///   - width: in cells.
  ///   - clock: the clock for start times.
  package init(columns: ListColumns, width: Int, palette: Palette, clock: WallClock) {
    self.columns = TableColumn.fitted(columns, to: width)
    self.width = width
    self.palette = palette
    self.clock = clock
  }

  /// The names of the columns.
  package var heading: String {
    let names = columns.map { palette.apply(.bold, to: $0.aligned($0.heading.elided(to: $0.width))) }
    return names.joined(separator: " ").withoutBlanksAtEnd
  }

  /// The lines above the rows.
  package var groups: RowGroups { RowGroups(width: width, palette: palette) }

  package func row(for entry: HAREntry, number: Int) -> ExchangeRow {
    let texts = columns.map { text(of: $0, entry, number: number) }
    let excess = zip(columns, texts).reduce(0) { $0 + ($1.0.isFlexible ? 0 : max(0, $1.1.cellCount - $1.0.width)) }
    var cells = zip(columns, texts).map { column, text in cell(column, text, excess: excess, of: entry) }
    let time = columns.contains { $0.content == TableColumn.start } ? clock.time(of: entry.startedDateTime) : nil
    let day = time.map { "\($0.day) \($0.offset)" }
    guard let index = columns.firstIndex(where: \.isPlace) else {
      return ExchangeRow(head: cells.joined(separator: " "), tail: "", place: nil, placeWidth: 0, day: day)
    }
    cells[index] = ""
    let head = cells[..<index].map { $0 + " " }.joined()
    let tail = cells[(index + 1)...].map { " " + $0 }.joined()
    return ExchangeRow(
      head: head, tail: tail, place: RequestPlace(entry), placeWidth: room(of: columns[index], excess: excess), day: day)
  }

  /// Without colours; empty for the strip, which always fits, and for the place, which depends on the line above.
  private func text(of column: TableColumn, _ entry: HAREntry, number: Int) -> String {
    guard case .field(let field) = column.content, !column.isPlace else { return "" }
    let isPrecise = column.width >= TableColumn.preciseStart
    let text = ExchangeCell.text(of: field, in: entry, number: number, clock: clock, precise: isPrecise)
    return column.isFlexible ? text : text.elided(to: column.limit ?? text.cellCount)
  }

  private func cell(_ column: TableColumn, _ text: String, excess: Int, of entry: HAREntry) -> String {
    switch column.content {
    case .strip: return PhaseStrip.ofTotal(PhaseDurations(entry), width: column.width, palette: palette)
    case .field(let field):
      var column = column
      column.width = room(of: column, excess: excess)
      let fitting = column.isFlexible ? text.elided(to: column.width) : text
      return palette.apply(ExchangeCell.style(of: field, in: entry), to: column.aligned(fitting))
    }
  }

  private func room(of column: TableColumn, excess: Int) -> Int {
    column.isFlexible ? max(TableColumn.leastFlexibleWidth, column.width - excess) : column.width
  }
}
