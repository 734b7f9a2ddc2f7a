package import TapelineConsole
package import TapelineHAR
package import TapelineInspect

/// Prints a row for each exchange of a file.
package struct ExchangeListing {
  private let path: String
  private let rows: RowFormat
  private let filter: Query?
  private let limit: Int

  /// - Parameter limit: the most rows; `nil` for no limit.
  package init(of path: String, as rows: RowFormat, filter: Query?, limit: Int?) {
    self.path = path
    self.rows = rows
    self.filter = filter
    self.limit = limit ?? .max
  }

  /// Prints the rows of a file. Rows before damage in the file are a result, too.
  ///
  /// - Parameter order: `nil` for the order of the file.
  package func print(by order: ListOrder?) throws(CommandFailure) {
    let parts = rows.parts.union(order?.parts ?? [])
    var source = try CaptureFile(path: path, parts: parts, filter: filter)
    var printer = RowPrinter(rows)
    do throws(CommandFailure) {
      if let order { try print(&source, by: order, to: &printer) } else { try print(&source, to: &printer) }
    } catch {
      try printer.finish()
      throw error
    }
    try printer.finish()
  }

  private func print(_ source: inout CaptureFile, to printer: inout RowPrinter) throws(CommandFailure) {
    var count = 0
    while count < limit, let (number, entry) = try source.next() {
      try printer.print(rows.row(for: entry, number: number))
      count += 1
    }
    try printer.begin()
  }

  private func print(_ source: inout CaptureFile, by order: ListOrder, to printer: inout RowPrinter) throws(CommandFailure) {
    var sorted = SortedExchanges<ListRow>(order: order, limit: limit)
    var damage: CommandFailure?
    do throws(CommandFailure) {
      while let (number, entry) = try source.next() {
        sorted.add(entry, number: number) { rows.row(for: entry, number: number) }
      }
    } catch {
      damage = error
    }
    for row in sorted.results() { try printer.print(row) }
    if let damage { throw damage }
    try printer.begin()
  }

  /// Also prints the exchanges that a running recording adds, until it ends.
  package func follow() throws(CommandFailure) {
    var printer = RowPrinter(rows)
    var source = try FollowedFile(path: path, parts: rows.parts.union(filter?.parts ?? []))
    var count = 0
    while count < limit, let event = try source.next() {
      try printer.begin()
      switch event {
      case .entry(let number, let entry):
        guard filter?.matches(entry, number: number) ?? true else { continue }
        try printer.print(rows.row(for: entry, number: number))
        count += 1
      case .caughtUp: try printer.finish()
      case .nextFile(let path):
        try printer.finish()
        Console.say("\(path): the recording goes on here")
      }
    }
    try printer.begin()
    try printer.finish()
  }
}

/// How a row is printed.
package enum RowFormat {
  case table(ExchangeTable, parts: HAREntryParts)
  case json(ListColumns)
  case csv(ListColumns, CSVLine.Style)

  package var parts: HAREntryParts {
    switch self {
    case .table(_, let parts): parts
    case .json(let columns), .csv(let columns, _): columns.parts
    }
  }

  /// With its line end.
  var heading: String? {
    switch self {
    case .table(let table, _): table.heading + "\n"
    case .json: nil
    case .csv(let columns, let style): ExchangeRecords.csvHeading(columns, style)
    }
  }

  /// The lines above the rows of a table.
  var groups: RowGroups? {
    switch self {
    case .table(let table, _): table.groups
    case .json, .csv: nil
    }
  }

  fileprivate func row(for entry: HAREntry, number: Int) -> ListRow {
    switch self {
    case .table(let table, _): .grouped(table.row(for: entry, number: number))
    case .json(let columns): .text(ExchangeRecords.json(entry, number: number, columns: columns) + "\n")
    case .csv(let columns, let style): .text(ExchangeRecords.csv(entry, number: number, columns: columns, style))
    }
  }
}

/// The printed form of an exchange.
private enum ListRow: Sendable {
  case grouped(ExchangeRow)
  /// With its line end.
  case text(String)
}

/// Prints rows as they come, and above them the facts that they have in common.
private struct RowPrinter {
  /// `nil` once it is printed.
  private var heading: String?
  private var groups: RowGroups?
  private var output = StandardOutput()

  init(_ rows: RowFormat) {
    heading = rows.heading
    groups = rows.groups
  }

  /// Prints the heading. A file that cannot be read gets no heading.
  mutating func begin() throws(CommandFailure) {
    if let heading = heading.take() { try output.write(heading.utf8) }
  }

  mutating func print(_ row: ListRow) throws(CommandFailure) {
    try begin()
    switch row {
    case .grouped(let row): try output.write(lines: groups?.lines(adding: row) ?? [])
    case .text(let text): try output.write(text.utf8)
    }
  }

  /// Also prints the rows that were held back: no more rows come, or not soon.
  mutating func finish() throws(CommandFailure) {
    try output.write(lines: groups?.rest() ?? [])
    try output.flush()
  }
}
