internal import ArgumentParser
internal import TapelineOffline
internal import TapelineHAR
internal import TapelineInspect

/// `tapeline waterfall FILE`: when the exchanges began and ended, drawn.
struct WaterfallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "waterfall",
    abstract: "Draw the exchanges of a HAR over time, with their phases.",
    usage: "tapeline waterfall <file> [<options>]",
    discussion: """
      Draws a line per exchange, with a bar from its beginning to its end, in groups. Each page has its own time scale; by \
      connection, all share one, so that idle connections show. Colours distinguish the phases, or letters if there are no \
      colours; the figure is the time without the parts of the client and tapeline. Memory holds the drawn exchanges, without \
      headers and bodies.

      EXAMPLES
        tapeline waterfall session.har
        tapeline waterfall session.har --by connection
        tapeline waterfall session.har --filter 'page == "log in" and not error'
        tapeline waterfall session.har --color always | less -R
      """)

  @Argument(help: ArgumentHelp("The HAR to read; - for stdin.", valueName: "file"))
  var file: String

  @Option(help: ArgumentHelp("Group by this.", valueName: "page|connection|none"))
  var by = WaterfallGrouping.page

  @OptionGroup
  var selection: FilterOptions

  @Option(
    name: [.customShort("n"), .customLong("limit")],
    help: ArgumentHelp("Draw at most this many exchanges, the first of the file.", valueName: "n"))
  var limit: Int?

  @OptionGroup
  var style: StyleOptions

  func validate() throws {
    if let limit { try require("--limit", limit, limit > 0, "above 0") }
  }

  mutating func run() throws {
    var waterfall = Waterfall(grouping: by)
    var source = try CaptureFile(path: file, parts: waterfall.parts, filter: try selection.query())
    // Pages may come after the entries, so the whole file is read, whatever the limit is.
    while let (number, entry) = try source.next(onPage: { waterfall.add($0) }) {
      if waterfall.count < limit ?? .max { waterfall.add(entry, number: number) }
    }
    try style.print { width, palette in WaterfallText(waterfall, width: width, palette: palette).lines }
  }
}
