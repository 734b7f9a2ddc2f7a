internal import ArgumentParser
internal import TapelineOffline
internal import TapelineHAR
internal import TapelineInspect
internal import TapelineSystem

/// `tapeline list FILE`: one row per exchange.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Print a row per exchange of a HAR.",
    usage: "tapeline list <file> ... [<options>]",
    discussion: """
      Rows of one host are under a line with its scheme and host; a row of another host between them begins with its \
      name. That line also has the day and the distance of the times from UTC; times are local (TZ), unless you give --utc. A \
      long URL keeps the end of its path. Sizes are those of the bodies on the wire. From 140 columns on, each phase has its \
      column; below that, a strip divides its cells among the parts of the total: b blocked, d dns, c connect, t TLS, s send, w \
      wait, r receive. A C before them is the client's own time, before its TLS hello and its request, and a P tapeline's own; \
      total excludes both, and HAR's time includes them. A code with ! came before a failure; ERR is a failure without a code; END is an exchange that the \
      client ended before there was one. The width is the terminal's, else that of COLUMNS, else 80; below 72, columns are left \
      out.

      Columns and --sort take fields of the query language, as --filter does; phases is the strip. --json prints an object per \
      line, and --csv a heading and a line per exchange, both with plain milliseconds and bytes. A CSV text that a spreadsheet \
      would evaluate (it begins with =, +, - or @) gets an apostrophe before it, unless you give --csv-raw. Memory does not grow \
      with the file, except for --sort without --limit, which holds the rows until the end. --follow waits for exchanges that a \
      running recording adds, follows it into its next file, and ends with the recording or with Ctrl-C. Of several files, a line \
      with its name is above the rows of each; ** in a pattern stands for directories of any depth.

      EXAMPLES
        tapeline list session.har -n 20
        tapeline list session.har --sort total:desc --limit 10
        tapeline list session.har --filter 'host ~ "api" and (error or wait > 200ms)'
        tapeline list session.har --columns 'number,status,wait,resp.header["server"],url'
        tapeline list session.har --json | jq -s 'map(.wait) | add'
        tapeline list 'captures/**/*.har' --filter 'host == "api.example" and status >= 500'
        tapeline list session.har --follow --filter error
        tapeline list - --csv < session.har > session.csv
      """)

  @Argument(help: ArgumentHelp("The HARs to read, also as a pattern; - for stdin.", valueName: "file"))
  var files: [String]

  @OptionGroup
  var selection: FilterOptions

  @Option(help: ArgumentHelp("The columns, as in number,host,wait,url. (default: by width)", valueName: "fields"))
  var columns: String?

  @Option(help: ArgumentHelp("Sort by a field, as in total:desc; exchanges without it come last.", valueName: "field[:desc]"))
  var sort: String?

  @Option(
    name: [.customShort("n"), .customLong("limit")], help: ArgumentHelp("Print at most this many rows.", valueName: "n"))
  var limit: Int?

  @Flag(help: "Also print exchanges that a running recording adds, until it ends.")
  var follow = false

  @Flag(help: "Print a form for programs.")
  var format: Format?

  @OptionGroup
  var indexes: IndexOptions

  @OptionGroup
  var style: StyleOptions

  @OptionGroup
  var clock: ClockOptions

  enum Format: EnumerableFlag {
    case json
    case csv
    case csvRaw

    static func help(for format: Format) -> ArgumentHelp? {
      switch format {
      case .json: "Print a JSON object per line."
      case .csv: "Print comma-separated values (RFC 4180), safe for spreadsheets."
      case .csvRaw: "Print comma-separated values with every text as it is."
      }
    }
  }

  func validate() throws {
    if let limit { try require("--limit", limit, limit > 0, "above 0") }
    if follow, sort != nil {
      throw ValidationError("--follow and --sort: rows are printed as they come; leave one out")
    }
    if follow, files.count > 1 {
      throw ValidationError("--follow: it follows one recording; name one file")
    }
    if follow, files == ["-"] {
      throw ValidationError("--follow -: stdin is always read to its end; name a file, or leave it out")
    }
    _ = try order()
    _ = try chosenColumns()
  }

  mutating func run() throws {
    let fleet = try CaptureFleet(files)
    if follow, fleet.hasSeveral { throw ValidationError("--follow: it follows one recording; name one file") }
    let listing = ExchangeListing(
      of: fleet, as: try rows(namingFiles: fleet.hasSeveral), filter: try selection.query(), limit: limit,
      indexing: indexes.indexing(of: fleet))
    if follow { try listing.follow() } else { try listing.print(by: try order()) }
  }

  // MARK: What was asked for

  private func order() throws -> ListOrder? {
    guard let sort else { return nil }
    return try parsing(sort, as: "--sort") { (text) throws(QueryError) in try ListOrder(text) }
  }

  private func chosenColumns() throws -> ListColumns? {
    guard let columns else { return nil }
    return try parsing(columns, as: "--columns") { (text) throws(QueryError) in try ListColumns(text) }
  }

  private func rows(namingFiles: Bool) throws -> RowFormat {
    let columns = try chosenColumns()
    let forPrograms = columns ?? (namingFiles ? ListColumns.standardForPrograms.namingFiles : .standardForPrograms)
    switch format {
    case .json: return .json(forPrograms)
    case .csv: return .csv(forPrograms, Terminal.csvStyle(.spreadsheet))
    case .csvRaw: return .csv(forPrograms, Terminal.csvStyle([]))
    case nil:
      let environment = ProcessEnvironment.variables()
      let width = Terminal.width(environment: environment)
      // Sorted rows are not below the name of their file.
      let standard = ListColumns.standard(width: width)
      let shown = columns ?? (namingFiles && sort != nil ? standard.namingFiles : standard)
      return .table(
        ExchangeTable(
          columns: shown, width: width, palette: style.palette(environment: environment), clock: clock.clock),
        parts: shown.parts)
    }
  }
}
