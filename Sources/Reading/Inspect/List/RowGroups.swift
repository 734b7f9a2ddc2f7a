/// Puts lines above the rows of a table that name what the rows have in common: scheme and host, and the day.
///
/// One or two rows of another host within a group do not start a new group: these rows name their host themselves. To know that,
/// it holds back at most that many rows.
package struct RowGroups: Sendable {
  private let width: Int
  private let palette: Palette
  /// The content of the last line above rows; no origin if the rows below it name their own.
  private var origin: String?
  private var day: String?
  private var isSaid = true
  private var isDaySaid = true
  private var isFirst = true
  /// Rows of one origin that differs from the origin of the line above.
  private var held: [ExchangeRow] = []

  /// The smallest number of consecutive rows of one host that make a group.
  private static let leastRun = 3

  /// - Parameter width: in cells; the lines above rows are never wider.
  package init(width: Int, palette: Palette) {
    self.width = width
    self.palette = palette
  }

  /// The lines that can be printed when `row` is the next row.
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

  /// The rows that are held back, for when no more rows come, or not soon.
  package mutating func rest() -> [String] {
    // All rows have one origin.
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

  /// The line above rows, if it says something that the last one did not.
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

/// A row of the table of exchanges, before it is known what the line above names.
package struct ExchangeRow: Sendable {
  /// The cells before and after the URL's cell, with the blanks between. Without a URL, they are all cells.
  let head: String
  let tail: String
  let place: RequestPlace?
  /// In cells.
  let placeWidth: Int
  /// The day and the offset from UTC, if the row has a time of day: `2026-01-02 +01:00`.
  let day: String?

  /// - Parameter origin: the origin that the line above names.
  func line(under origin: String?) -> String {
    guard let place else { return (head + tail).withoutBlanksAtEnd }
    return (head + place.text(under: origin, width: placeWidth).padded(to: placeWidth) + tail).withoutBlanksAtEnd
  }
}

extension String {
  /// Blanks at the end of a line would only make a narrow terminal wrap.
  var withoutBlanksAtEnd: String {
    var line = self
    while line.last == " " { line.removeLast() }
    return line
  }
}
