internal import ArgumentParser
internal import TapelineHAR
internal import TapelineInspect
internal import TapelineOffline

/// `tapeline convert FILE… --to FORMAT`: logs in another form.
struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Write a HAR in another form.",
    usage: "tapeline convert <file> ... --to <format> [-o <file>] [<options>]",
    discussion: """
      har: the same log in our layout, an entry per line; errors that readers would reject stay (see lint). ndjson: an entry per \
      line and nothing else. csv: a line of figures per exchange, without headers and bodies (RFC 4180); a text that a \
      spreadsheet would evaluate (it begins with =, +, - or @) gets an apostrophe before it, unless you give --csv-raw. rows: a \
      flat JSON object per exchange and line, for DuckDB and the like, with the fields of the query language but bodies; \
      docs/query.md has the schema. trace: Chrome's Trace Event Format, which Perfetto opens, with a slice for each exchange and \
      its phases. All but har take several files and patterns.

      EXAMPLES
        tapeline convert session.har --to csv > session.csv
        tapeline convert session.har --to ndjson | jq -c .request.url
        tapeline convert pretty.har --to har -o compact.har
        tapeline convert 'captures/**/*.har' --to rows -o fleet.ndjson
        tapeline convert session.har --to trace -o session.trace.json
      """)

  @Argument(help: ArgumentHelp("The HARs to read, also as a pattern; - for stdin.", valueName: "file"))
  var files: [String]

  @Option(help: ArgumentHelp("The form: har, ndjson, csv, rows, trace.", valueName: "format"))
  var to: Format

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write; must not exist, unless --force is given. (default: stdout)", valueName: "file"))
  var output: String?

  @OptionGroup
  var overwriting: OverwritingOptions

  @Flag(help: "In csv, leave every text as it is.")
  var csvRaw = false

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case har
    case ndjson
    case csv
    case rows
    case trace
  }

  func validate() throws {
    try overwriting.validate(output: output)
    if csvRaw, to != .csv { throw ValidationError("--csv-raw: it is for --to csv; leave it out") }
  }

  mutating func run() throws {
    let conversion = Conversion(of: try CaptureFleet(files), to: output, replacing: overwriting.force)
    switch to {
    case .har: try conversion.write(.har)
    case .ndjson: try conversion.write(.ndjson)
    case .csv: try conversion.write(.csv(isRaw: csvRaw))
    case .rows: try conversion.write(.rows)
    case .trace: try conversion.write(.trace)
    }
  }
}
