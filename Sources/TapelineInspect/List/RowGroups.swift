/// Puts lines above the rows of a table that say what they have in common: scheme and host, and the day.
///
/// A row or two of another host between those of one are no group: they name it themselves. To know that, so many rows are held
/// back, and no more.
package struct RowGroups: Sendable {
  private let width: Int
  private let palette: Palette
  /// What the last line above rows said; no origin where the rows below it name theirs.
  private var origin: String?
  private var day: String?
  private var isSaid = true
  private var isDaySaid = true
  private var isFirst = true
  /// Rows of one origin that is not the one above them.
  private var held: [ExchangeRow] = []

  /// Rows of a host in sequence that make a group.
  private static let leastRun = 3

  /// - Parameter width: in cells; no line above rows is wider.
  package init(width: Int, palette: Palette) {
    self.width = width
    self.palette = palette
  }

  /// The lines that can be printed now that this row is the next one.
  package mutating func lines(adding row: ExchangeRow) -> [String] {
    var lines: [String] = []
    if let day = row.day, day != self.day {
      lines = rest()
      self.day = day
      isDaySaid = false
    }
    guard let other = row.place?.origin, other != origin else { return lines + flush() + say() + [printed(row)] }
    if held.first?.place?.origin != other { lines += flush() }
    held.append(row)
    return held.count < Self.leastRun ? lines : lines + begin(other)
  }

  /// Those that are held back: nothing more comes, or not soon.
  package mutating func rest() -> [String] {
    // All that there is has one origin.
    if isFirst, let origin = held.first?.place?.origin { return begin(origin) }
    return flush()
  }

  private mutating func begin(_ origin: String) -> [String] {
    self.origin = origin
    isSaid = false
    return flush()
  }

  private mutating func flush() -> [String] {
    guard !held.isEmpty else { return [] }
    defer { held = [] }
    return say() + held.map { printed($0) }
  }

  private mutating func printed(_ row: ExchangeRow) -> String {
    isFirst = false
    return row.line(under: origin)
  }

  /// The line above rows, where it says something that the last one did not.
  private mutating func say() -> [String] {
    guard !isSaid || !isDaySaid else { return [] }
    let day = isDaySaid ? nil : day
    isSaid = true
    isDaySaid = true
    let room = width - (day.map { $0.cellCount + 2 } ?? 0)
    let parts = [origin.map { palette.apply(.bold, to: $0.elided(to: room)) }, day.map { palette.apply(.dim, to: $0) }]
    return [parts.compactMap(\.self).joined(separator: "  ")]
  }
}
