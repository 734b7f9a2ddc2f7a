package import TapelineHAR
package import TapelineInspect

/// Prints a row for each exchange of a capture, or of several.
package struct ExchangeListing {
  private let fleet: CaptureFleet
  private let rows: RowFormat
  private let filter: Query?
  private let limit: Int
  private let indexing: CaptureIndexing

  /// - Parameter limit: the most rows; `nil` for no limit.
  package init(of fleet: CaptureFleet, as rows: RowFormat, filter: Query?, limit: Int?, indexing: CaptureIndexing) {
    indexing.removeOrphans(beside: fleet.files)
    self.fleet = fleet
    self.rows = rows
    self.filter = filter
    self.limit = limit ?? .max
    self.indexing = indexing
  }

  /// Prints the rows. Rows before damage in a file are a result, too.
  ///
  /// - Parameter order: `nil` for the order of the files.
  package func print(by order: ListOrder?) throws(CommandFailure) {
    var printer = RowPrinter(rows)
    do throws(CommandFailure) {
      if let order { try print(by: order, to: &printer) } else { try print(to: &printer) }
    } catch {
      try printer.finish()
      throw error
    }
    try printer.end()
  }

  private func print(to printer: inout RowPrinter) throws(CommandFailure) {
    var count = 0
    try fleet.forEach { (file) throws(CommandFailure) in
      guard count < limit else { return }
      if fleet.hasSeveral { try printer.beginFile(file) }
      var capture = try ListedCapture(file, parts: rows.parts, filter: filter, indexing)
      while count < limit, let (number, entry) = try capture.next() {
        try printer.print(rows.row(for: entry, number: number))
        count += 1
      }
    }
    try printer.begin()
  }

  private func print(by order: ListOrder, to printer: inout RowPrinter) throws(CommandFailure) {
    var sorted = SortedExchanges<ListRow>(order: order, limit: limit)
    var damage: CommandFailure?
    do throws(CommandFailure) {
      try fleet.forEach { (file) throws(CommandFailure) in
        var capture = try ListedCapture(file, parts: rows.parts.union(order.parts), filter: filter, indexing)
        while let (number, entry) = try capture.next() {
          sorted.add(entry, number: number) { rows.row(for: entry, number: number) }
        }
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
    precondition(!fleet.hasSeveral, "one recording is followed")
    var printer = RowPrinter(rows)
    var source = try FollowedFile(path: fleet.files[0], parts: rows.parts.union(filter?.parts ?? []))
    var count = 0
    while count < limit, let event = try source.next() {
      try printer.begin()
      switch event {
      case .entry(let number, let entry):
        guard filter?.matches(entry, number: number) ?? true else { continue }
        try printer.print(rows.row(for: entry, number: number))
        count += 1
      case .unreadable: break
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

/// The exchanges of one capture that are listed: found by its index if that knows the condition, else by reading the capture.
private struct ListedCapture: ~Copyable {
  private let name: String
  private var file: CaptureFile?
  private let found: IndexedEntries?

  init(
    _ name: String, parts: HAREntryParts, filter: Query?, _ indexing: CaptureIndexing
  ) throws(CommandFailure) {
    self.name = name
    let source = try CaptureFile.source(name, for: parts.union(filter?.parts ?? []).contains(.pageTitle) ? .again : .once)
    if let filter, filter.isKnownToIndex, let index = indexing.index(of: source) {
      let entries = IndexedEntries(index, of: source, filter: filter, parts: parts)
      // A compressed capture is read from its start, but only if it has what is looked for.
      let isReadable = try Self.canRead(source)
      let hasAny = try Self.orFailure(name) { () throws(CaptureIndex.Damage) in try entries.hasMore() }
      guard !isReadable, hasAny else {
        found = entries
        return
      }
    }
    found = nil
    file = CaptureFile(source, parts: parts, filter: filter)
  }

  mutating func next() throws(CommandFailure) -> (number: Int, entry: HAREntry)? {
    guard let found else { return try file?.next() ?? nil }
    return try Self.orFailure(name) { () throws(CaptureIndex.Damage) in try found.next() }
  }

  private static func canRead(_ source: InputSource) throws(CommandFailure) -> Bool {
    do throws(CaptureError) {
      return try IndexedEntries.canRead(source)
    } catch {
      throw CaptureFile.failure(source.name, error)
    }
  }

  private static func orFailure<Result>(
    _ name: String, _ body: () throws(CaptureIndex.Damage) -> Result
  ) throws(CommandFailure) -> Result {
    do throws(CaptureIndex.Damage) {
      return try body()
    } catch {
      throw CaptureIndexing.failure(name, error)
    }
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

  /// The lines below the rows.
  fileprivate var legend: [String] {
    switch self {
    case .table(let table, _): table.legend
    case .json, .csv: []
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
  /// The name of the file whose rows come next, until it is printed.
  private var file: String?
  private var groups: RowGroups?
  private var hasRows = false
  private let rows: RowFormat
  private var output = StandardOutput()

  init(_ rows: RowFormat) {
    self.rows = rows
    heading = rows.heading
    groups = rows.groups
  }

  /// The rows of another file come next. In a table its name is above them, and the line below it names their host again.
  mutating func beginFile(_ name: String) throws(CommandFailure) {
    guard case .table = rows else { return }
    try output.write(lines: groups?.rest() ?? [])
    groups = rows.groups
    file = name
  }

  /// Prints the heading. A file that cannot be read gets no heading.
  mutating func begin() throws(CommandFailure) {
    if let heading = heading.take() { try output.write(heading.utf8) }
  }

  mutating func print(_ row: ListRow) throws(CommandFailure) {
    try begin()
    if let file = file.take() { try output.write(lines: ["==> \(file.printable) <=="]) }
    switch row {
    case .grouped(let row): try output.write(lines: groups?.lines(adding: row) ?? [])
    case .text(let text): try output.write(text.utf8)
    }
    hasRows = true
  }

  /// Finishes, and says what colours mean.
  mutating func end() throws(CommandFailure) {
    try output.write(lines: groups?.rest() ?? [])
    if hasRows, !rows.legend.isEmpty { try output.write(lines: [""] + rows.legend) }
    try output.flush()
  }

  /// Also prints the rows that were held back: no more rows come, or not soon.
  mutating func finish() throws(CommandFailure) {
    try output.write(lines: groups?.rest() ?? [])
    try output.flush()
  }
}
