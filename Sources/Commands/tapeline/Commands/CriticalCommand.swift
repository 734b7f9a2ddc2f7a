internal import ArgumentParser
internal import TapelineOffline
internal import TapelineHAR
internal import TapelineInspect

/// `tapeline critical FILE`: the exchanges that delayed the end.
struct CriticalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "critical",
    abstract: "Find the exchanges of a HAR that delayed the end of a page or command.",
    usage: "tapeline critical <file> [<options>]",
    discussion: """
      Prints, for each page, the longest chain of exchanges to its end: when each began, the client's own time before it, how \
      long it took, how much earlier the end would come if it took no time, and the reason to put it after the one before. \
      Then come exchanges beside the chain: their slack is how much longer they could have taken without delaying the end. The \
      reasons are redirects, what the browser that wrote the log says, addresses in bodies, Referer, a connection of HTTP/1, a \
      turn, joins such as load, and order; "may" stands for what is not sure. Tunnels, WebSockets and beacons are no end.

      EXAMPLES
        tapeline critical session.har
        tapeline critical session.har --page 'log in'
        tapeline critical session.har --filter 'host ~ "shop"' --top 20
        tapeline critical session.har --json | jq '.pages[].costliest'
      """)

  @Argument(help: ArgumentHelp("The HAR to read; - for stdin.", valueName: "file"))
  var file: String

  @Option(help: ArgumentHelp("Only the page with this title or id.", valueName: "page"))
  var page: String?

  @Option(help: ArgumentHelp("Print at most this many exchanges beside the path.", valueName: "n"))
  var top = 5

  @Flag(help: "Print every exchange as JSON, times in milliseconds.")
  var json = false

  @OptionGroup
  var selection: FilterOptions

  @OptionGroup
  var bodySource: BodySourceOptions

  @OptionGroup
  var style: StyleOptions

  func validate() throws {
    try require("--top", top, top >= 0, "0 or above")
  }

  mutating func run() throws {
    let search = try CriticalPathReading(of: file, filter: try selection.query(), bodies: bodySource.files(besideHAR: file))
      .search(page: page)
    try style.print(json: json ? search.json : nil) { width, palette in
      CriticalPathText(search, beside: top, width: width, palette: palette).lines
    }
  }
}
