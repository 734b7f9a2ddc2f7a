/// One column of a table of exchanges, with its place in it.
struct TableColumn: Sendable {
  let heading: String
  let content: ListColumns.Content
  let isRightAligned: Bool
  var width: Int

  /// A start of at least this width has milliseconds.
  static let preciseStart = 12
  private static let leastFlexibleWidth = 12
  private static let textWidth = 20

  func aligned(_ text: String) -> String {
    isRightAligned ? text.rightAligned(to: width) : text.padded(to: width)
  }

  /// The columns with widths that fill a line.
  static func fitted(_ columns: ListColumns, to width: Int) -> [TableColumn] {
    let isWide = columns.columns.contains { $0.content == .field(QueryField(source: .known(.ssl))) } || columns.columns.count < 6
    var fitted = columns.columns.map { TableColumn($0, isWide: isWide) }
    let isURL: (TableColumn) -> Bool = { $0.content == .field(QueryField(source: .known(.url))) }
    guard let flexible = fitted.lastIndex(where: isURL) ?? fitted.lastIndex(where: { !$0.isRightAligned && $0.isText }) else {
      return fitted
    }
    let others = fitted.indices.reduce(0) { $0 + ($1 == flexible ? 0 : fitted[$1].width) } + fitted.count - 1
    fitted[flexible].width = max(leastFlexibleWidth, width - others)
    return fitted
  }

  private init(_ column: ListColumns.Column, isWide: Bool) {
    content = column.content
    switch column.content {
    case .strip:
      heading = column.name
      width = ExchangeTable.stripWidth
      isRightAligned = false
    case .field(let field):
      heading = Self.heading(of: field, column.name)
      width = max(Self.width(of: field, isWide: isWide), min(heading.cellCount, Self.textWidth))
      isRightAligned = Self.isRightAligned(field)
    }
  }

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
    case .known(.method): return 7
    case .known(.scheme), .known(.port): return 5
    case .known(.ip), .known(.mime), .known(.requestMime): return 16
    case .known, .named, .custom, .member: break
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
