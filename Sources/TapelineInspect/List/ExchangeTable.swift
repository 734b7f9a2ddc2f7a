package import TapelineHAR

/// The table of `list`: one line per exchange, made for a width, without looking at any other line (so memory stays flat).
///
/// Every column but one has its width; the URL, or else the last column of text, takes what is left.
package struct ExchangeTable: Sendable {
  private let columns: [TableColumn]
  private let palette: Palette

  static let stripWidth = 8

  package init(columns: ListColumns, width: Int, palette: Palette) {
    self.columns = TableColumn.fitted(columns, to: width)
    self.palette = palette
  }

  /// The names of the columns.
  package var heading: String {
    join(columns.map { palette.apply(.bold, to: $0.aligned($0.heading.elided(to: $0.width))) })
  }

  package func line(for entry: HAREntry, number: Int) -> String {
    join(columns.map { column in cell(column, of: entry, number: number) })
  }

  private func join(_ cells: [String]) -> String {
    var line = cells.joined(separator: " ")
    // Blanks at its end would only make a narrow terminal wrap.
    while line.last == " " { line.removeLast() }
    return line
  }

  private func cell(_ column: TableColumn, of entry: HAREntry, number: Int) -> String {
    switch column.content {
    case .strip: return PhaseStrip.colored(for: PhaseDurations(entry), width: column.width, palette: palette)
    case .field(let field):
      let text = ExchangeCell.text(of: field, in: entry, number: number, precise: column.width >= TableColumn.preciseStart)
      // A figure that lost digits would be another one: rather the line is longer.
      let fitting = column.isRightAligned ? text : text.elided(to: column.width)
      return palette.apply(ExchangeCell.style(of: field, in: entry), to: column.aligned(fitting))
    }
  }
}
