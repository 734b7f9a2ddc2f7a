internal import ArgumentParser
internal import TapelineConsole
internal import TapelineHAR
internal import TapelineInspect
internal import TapelineLog
internal import TapelineSystem

/// `tapeline stats FILE`: the figures of a whole capture.
struct StatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Print percentiles, the slowest and the failures of a HAR.",
    usage: "tapeline stats <file> [<options>]",
    discussion: """
      Prints, for each phase and the total, the number of exchanges that had it, percentiles, the longest, and its share of all \
      the time; for our own captures the proxy's own time; then the groups that took the most time, the slowest exchanges with \
      their longest phase, and errors with the first exchange of each. The total excludes the client's own time, which is the \
      phase client; exchanges that clients ended are counted separately from failures. Percentiles are accurate to 1 %. Tunnels \
      are counted and otherwise left out. Memory does not grow with the file.

      EXAMPLES
        tapeline stats session.har
        tapeline stats session.har --by path --filter 'host ~ "api"'
        tapeline stats session.har --by status --top 5
        tapeline stats session.har --json | jq .phases.wait.p95
      """)

  @Argument(help: ArgumentHelp("The HAR to read; - for stdin.", valueName: "file"))
  var file: String

  @Option(help: ArgumentHelp("Group by this.", valueName: "host|path|status|page|method|connection|version|trace"))
  var by = StatisticsGrouping.host

  @Option(help: ArgumentHelp("Print at most this many groups and slowest exchanges.", valueName: "n"))
  var top = 10

  @Flag(help: "Print everything as JSON, times in milliseconds.")
  var json = false

  @OptionGroup
  var selection: FilterOptions

  @OptionGroup
  var style: StyleOptions

  func validate() throws {
    if top < 1 {
      throw ValidationError("--top \(top): out of range; give a number above 0")
    }
  }

  mutating func run() throws {
    var source = try CaptureFile(path: file, parts: CaptureStatistics.parts(by), filter: try selection.query())
    var statistics = CaptureStatistics(grouping: by, slowest: top)
    while let (number, entry) = try source.next() {
      statistics.add(entry, number: number)
    }
    var output = StandardOutput()
    if json {
      try output.write(json: statistics.json)
    } else {
      let environment = ProcessEnvironment.variables()
      let text = StatisticsText(
        statistics, grouping: by, groupCount: top, width: Terminal.width(environment: environment),
        palette: style.palette(environment: environment))
      try output.write(lines: text.lines)
    }
    try output.flush()
  }
}
