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
