package import TapelineHAR

/// What `list` shows of each exchange: fields of the query language by their names, and `phases`, the strip.
package struct ListColumns: Sendable {
  enum Content: Hashable, Sendable {
    case strip
    case field(QueryField)
  }

  struct Column: Hashable, Sendable {
    /// As it was asked for.
    let name: String
    let content: Content
  }

  let columns: [Column]

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

  /// What fits into a terminal of some width: each phase as a column of figures, or all of them as a strip.
  package static func standard(width: Int) -> ListColumns {
    width >= wideFrom ? wide : narrow
  }

  /// The least width in which the columns of the phases leave a URL readable.
  private static let wideFrom = 140
  private static let narrow = ListColumns(
    names: ["number", "start", "method", "url", "status", "req.size", "resp.size", stripName, "total"])
  private static let wide = ListColumns(
    names: ["number", "start", "method", "url", "status", "req.size", "resp.size"] + Phase.allCases.map(\.name) + ["total"])

  /// What programs are given when they do not say what they want.
  package static let standardForPrograms = ListColumns(
    names: ["number", "start", "method", "url", "status", "mime", "req.size", "resp.size", "content.size"]
      + Phase.allCases.map(\.name) + ["total", "error"])

  /// What of an entry must have been read for them.
  package var parts: HAREntryParts {
    columns.reduce(into: []) { parts, column in
      if case .field(let field) = column.content { parts.formUnion(field.parts) }
    }
  }

  /// The values for programs, one per column: as the log has them, without units. The strip says nothing that the phases do not.
  func values(of entry: HAREntry, number: Int) -> [QueryValue] {
    columns.map { column in
      switch column.content {
      case .field(let field): field.value(in: entry, number: number)
      case .strip: .text(PhaseStrip.text(for: PhaseDurations(entry), width: ExchangeTable.stripWidth))
      }
    }
  }
}
