internal import ArgumentParser
internal import TapelineOffline
internal import TapelineHAR
internal import TapelineInspect
internal import TapelineSystem

/// `tapeline stats FILE…`: the figures of whole captures.
struct StatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Print percentiles, the slowest and the failures of a HAR.",
    usage: "tapeline stats <file> ... [<options>]",
    discussion: """
      Prints, for each phase and the total, the number of exchanges that had it, percentiles, the longest, and its share of all \
      the time; for our own captures the proxy's own time; then the groups that took the most time, the slowest exchanges with \
      their longest phase, and errors with the first exchange of each. The total excludes the client's own time, which is the \
      phase client, and tapeline's; exchanges that clients ended are counted separately from failures. Percentiles are accurate to 1 %. Tunnels \
      are counted and otherwise left out. Memory does not grow with the file.

      Of several files an index is kept beside each, .NAME.tapeline-index, so that the next question does not read it again; \
      ** in a pattern stands for directories of any depth. To compare builds, keep the captures of each in a directory.

      EXAMPLES
        tapeline stats session.har
        tapeline stats session.har --by path --filter 'host ~ "api"'
        tapeline stats session.har --by status --top 5
        tapeline stats session.har --events --stall 500ms
        tapeline stats session.har --json | jq .phases.wait.p95
        tapeline stats 'captures/**/*.har' --by host,directory
      """)

  @Argument(help: ArgumentHelp("The HARs to read, also as a pattern; - for stdin.", valueName: "file"))
  var files: [String]

  @Option(
    help: ArgumentHelp(
      "Group by a field of queries, or by up to four: host,page. In path, numbers and ids are folded; url is as it is.",
      valueName: "field"))
  var by = "host"

  @Option(help: ArgumentHelp("Print at most this many groups and slowest exchanges.", valueName: "n"))
  var top = 10

  @Flag(help: "Print the figures of streams: events, the first content, gaps and stalls.")
  var events = false

  @OptionGroup
  var stalls: StallOptions

  @Flag(help: "Print everything as JSON, times in milliseconds.")
  var json = false

  @OptionGroup
  var selection: FilterOptions

  @OptionGroup
  var indexes: IndexOptions

  @OptionGroup
  var style: StyleOptions

  func validate() throws {
    if top < 1 {
      throw ValidationError("--top \(top): out of range; give a number above 0")
    }
    _ = try groupings()
  }

  private func groupings() throws -> [StatisticsGrouping] {
    try parsing(by, as: "--by") { (text) throws(QueryError) in try StatisticsGrouping.list(text) }
  }

  mutating func run() throws {
    let fleet = try CaptureFleet(files)
    let reading = StatisticsReading(of: fleet, filter: try selection.query(), indexing: indexes.indexing(of: fleet))
    let environment = ProcessEnvironment.variables()
    let printer = StatisticsPrinter(
      top: top, isJSON: json, width: Terminal.width(environment: environment), palette: style.palette(environment: environment))
    if events {
      try printer.printStreams(of: reading, by: try groupings(), stall: stalls.milliseconds)
    } else {
      try printer.print(reading, by: try groupings())
    }
  }
}
