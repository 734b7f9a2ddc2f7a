internal import TapelineBase
package import TapelineHAR

/// The columns of `list`: fields of the query language by their names, and `phases`, the strip.
package struct ListColumns: Sendable {
  enum Content: Hashable, Sendable {
    case strip
    case field(QueryField)
  }

  struct Column: Hashable, Sendable {
    /// The name that the user gave.
    let name: String
    let content: Content
  }

  private(set) var columns: [Column]

  private static let stripName = "phases"

  private init(names: [String]) {
    columns = names.map { name in
      guard name != Self.stripName else { return Column(name: name, content: .strip) }
      guard let field = QueryField(name: name) else { preconditionFailure("A standard column is a field") }
      return Column(name: name, content: .field(field))
    }
  }

  /// Reads `host,wait,req.header["x"]`.
  package init(_ text: String) throws(QueryError) {
    columns = try QueryFieldList.parse(text, additional: [Self.stripName]).map { name, field in
      Column(name: name, content: field.map(Content.field) ?? .strip)
    }
  }

  /// The columns that fit a terminal of this width: each phase as a column of figures, or all phases as a strip, which leaves
  /// more room for the URL. A narrow terminal omits the least informative columns.
  package static func standard(width: Int) -> ListColumns {
    let fitting = layouts.first { width >= $0.from } ?? layouts[layouts.count - 1]
    return ListColumns(names: fitting.names)
  }

  /// The proxy's part is not of the total, and short: it has no column.
  private static let figures = Phase.allCases.filter { $0 != .proxy }.map(\.name)

  private static let layouts: [(from: Int, names: [String])] = [
    (140, ["number", "start", "method", "url", "status", "req.size", "resp.size"] + figures + ["total"]),
    (100, ["number", "start", "method", "url", "status", "req.size", "resp.size", stripName, "total"]),
    (startFrom, ["number", "start", "method", "url", "status", "resp.size", stripName, "total"]),
    (56, ["number", "method", "url", "status", "resp.size", stripName, "total"]),
    (36, ["number", "method", "url", "status", "total"]),
    (0, ["url", "status", "total"]),
  ]
  private static let startFrom = 72

  /// A longer strip shows shares better.
  static func stripWidth(in width: Int) -> Int {
    width >= 110 ? 16 : 8
  }

  /// Nearly all methods are at most this long.
  static func methodWidth(in width: Int) -> Int {
    width >= startFrom ? 6 : 4
  }

  /// The columns for programs that name none.
  package static let standardForPrograms = ListColumns(
    names: ["number", "start", "method", "url", "status", "mime", "req.size", "resp.size", "content.size"]
      + Phase.allCases.map(\.name) + ["total", "error"])

  /// Every field of an exchange but its bodies, under names that SQL takes: the schema of `convert --to rows`.
  package static let flat = ListColumns(
    QueryField.Known.allCases.filter(\.isFlat).map { field in
      let name = field.rawValue.split(separator: ".").joined(separator: "_")
      return Column(name: name, content: .field(QueryField(source: .known(field))))
    } + [
      Column(name: "overhead_request", content: .field(.overhead("request"))),
      Column(name: "overhead_response", content: .field(.overhead("response"))),
    ])

  private init(_ columns: [Column]) {
    self.columns = columns
  }

  /// The same, and before them the file, for the exchanges of several.
  package var namingFiles: ListColumns {
    var columns = self
    columns.columns.insert(Column(name: "file", content: .field(QueryField(source: .known(.file)))), at: 0)
    return columns
  }

  /// The parts of an entry that the columns need.
  package var parts: HAREntryParts {
    columns.reduce(into: []) { parts, column in
      if case .field(let field) = column.content { parts.formUnion(field.parts) }
    }
  }

  /// The values for programs, one per column: as in the log, without units. The strip says nothing that the phases do not.
  func values(of entry: HAREntry, number: Int) -> [QueryValue] {
    columns.map { column in
      switch column.content {
      case .field(let field): field.value(in: entry, number: number)
      case .strip:
        .text(PhaseStrip.ofTotal(PhaseDurations(entry), width: Self.stripWidth(in: 0), palette: Palette(isColored: false)))
      }
    }
  }
}

extension QueryField.Known {
  fileprivate var isFlat: Bool { self != .requestBody && self != .responseBody && self != .requestMime }
}

extension QueryField {
  /// A part of the proxy's own time.
  fileprivate static func overhead(_ part: String) -> QueryField {
    QueryField(source: .custom(.entry, [HARMember.overhead.name, part]))
  }
}
