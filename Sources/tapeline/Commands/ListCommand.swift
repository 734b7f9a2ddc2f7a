internal import ArgumentParser
internal import TapelineHAR
internal import TapelineInspect

/// `tapeline list FILE`: one row per exchange.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Print a row per exchange of a HAR.",
    discussion: """
      Sizes are those of the bodies on the wire. In 140 columns or more, each phase has its column; in fewer, a strip shows where \
      the time went: b blocked, d dns, c connect, t TLS, s send, w wait, r receive. A code with ! came before a failure; ERR had \
      none. The width is the terminal's, else that of COLUMNS, else 80.

      EXAMPLES
        tapeline list session.har
        tapeline list session.har --filter 'host ~ "api" and (error or wait > 200ms)'
        COLUMNS=200 tapeline list session.har
        tapeline list - < session.har
      """)

  @Argument(help: ArgumentHelp("The HAR to read; - for stdin.", valueName: "file"))
  var file: String

  @OptionGroup
  var selection: FilterOptions

  mutating func run() throws {
    let environment = ProcessEnvironment.variables()
    let table = ExchangeTable(
      width: Terminal.width(environment: environment), palette: Terminal.palette(environment: environment))
    var source = try CaptureFile(path: file, parts: .overview, filter: try selection.query())
    var output = StandardOutput()
    try output.write(line: table.heading)
    do {
      while let (number, entry) = try source.next() {
        try output.write(line: table.line(for: ExchangeRow(number: number, entry: entry)))
      }
    } catch {
      // What comes before the damage is a result too.
      try output.flush()
      throw error
    }
    try output.flush()
  }
}
