internal import TapelineBase
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

  /// The meaning of the colours of a strip; empty where letters say it, or no phase has a strip.
  package var legend: [String] {
    let hasStrip = columns.contains { $0.content == .strip }
    return hasStrip && palette.isColored && palette.isUnicode ? Phase.legend(width: width, palette: palette) : []
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

/// One column of a table of exchanges, with its place in it.
private struct TableColumn: Sendable {
  let heading: String
  let content: ListColumns.Content
  let isRightAligned: Bool
  /// The most cells that a text in the column takes, which may exceed its width; `nil` if nothing is cut: a figure that lost
  /// digits would be a different figure.
  let limit: Int?
  var width: Int
  /// Whether it gets the width that the other columns leave.
  private(set) var isFlexible = false

  /// A start column of at least this width shows milliseconds.
  static let preciseStart = 12
  static let leastFlexibleWidth = 8
  private static let leastTextWidth = 8
  private static let textWidth = 20
  /// Methods longer than this are rare.
  private static let methodLimit = 10

  static let start = ListColumns.Content.field(QueryField(source: .known(.start)))
  private static let method = ListColumns.Content.field(QueryField(source: .known(.method)))
  private static let url = ListColumns.Content.field(QueryField(source: .known(.url)))

  /// Whether it holds URLs without the part that the line above the row names.
  var isPlace: Bool { isFlexible && content == Self.url }

  func aligned(_ text: String) -> String {
    isRightAligned ? text.rightAligned(to: width) : text.padded(to: width)
  }

  /// The columns with widths that fill a line.
  static func fitted(_ columns: ListColumns, to width: Int) -> [TableColumn] {
    let isWide = columns.columns.contains { $0.content == .field(QueryField(source: .known(.ssl))) } || columns.columns.count < 6
    var fitted = columns.columns.map { TableColumn($0, isWide: isWide, tableWidth: width) }
    guard let flexible = fitted.lastIndex(where: { $0.content == url }) ?? fitted.lastIndex(where: \.isLongText) else {
      return fitted
    }
    var others = fitted.indices.reduce(0) { $0 + ($1 == flexible ? 0 : fitted[$1].width) } + fitted.count - 1
    for index in fitted.indices.reversed() where index != flexible && fitted[index].isLongText {
      let lacking = leastFlexibleWidth - (width - others)
      let given = min(max(0, lacking), max(0, fitted[index].width - leastTextWidth))
      fitted[index].width -= given
      others -= given
    }
    fitted[flexible].width = max(leastFlexibleWidth, width - others)
    fitted[flexible].isFlexible = true
    return fitted
  }

  private init(_ column: ListColumns.Column, isWide: Bool, tableWidth: Int) {
    content = column.content
    switch column.content {
    case .strip:
      heading = column.name
      width = ListColumns.stripWidth(in: tableWidth)
      isRightAligned = false
      limit = nil
    case .field(let field):
      let isMethod = field.source == .known(.method)
      let name = Self.heading(of: field, column.name)
      let least = isMethod ? ListColumns.methodWidth(in: tableWidth) : Self.width(of: field, isWide: isWide)
      heading = isMethod && least < name.count ? "verb" : name
      width = max(least, min(heading.cellCount, Self.textWidth))
      isRightAligned = Self.isRightAligned(field)
      limit = isRightAligned ? nil : isMethod ? max(width, Self.methodLimit) : width
    }
  }

  private var isLongText: Bool { !isRightAligned && isText && content != Self.method }

  /// Whether it holds texts of any length.
  private var isText: Bool {
    guard case .field(let field) = content else { return false }
    switch field.kind {
    case .text, .any: return true
    case .date, .number, .flag: return false
    }
  }

  /// The usual columns have short headings.
  private static func heading(of field: QueryField, _ name: String) -> String {
    switch field.source {
    case .known(.number): "#"
    case .known(.url): "URL"
    case .known(.status): "code"
    case .known(.requestSize): "sent"
    case .known(.responseSize): "recv"
    case .named(_, let key): key.printable
    case .known, .custom, .member: name
    case .serverTime(let metric): metric.printable
    }
  }

  private static func isRightAligned(_ field: QueryField) -> Bool {
    switch field.kind {
    case .number: true
    case .text, .date, .flag, .any: false
    }
  }

  private static func width(of field: QueryField, isWide: Bool) -> Int {
    switch field.source {
    case .known(.number), .known(.status): return 4
    case .known(.start): return isWide ? preciseStart : 8
    case .known(.scheme), .known(.port): return 5
    case .known(.version), .known(.requestVersion): return 8
    case .known(.ip), .known(.mime), .known(.requestMime): return 16
    case .known(.trace): return 32
    case .known, .named, .custom, .member, .serverTime: break
    }
    switch field.kind {
    case .text, .any: return textWidth
    case .date: return 24
    case .flag: return 5
    case .number(.duration), .number(.plain): return 6
    case .number(.size): return 5
    }
  }
}
