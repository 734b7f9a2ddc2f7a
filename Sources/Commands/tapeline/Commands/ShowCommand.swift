internal import ArgumentParser
internal import TapelineOffline
internal import TapelineHAR
internal import TapelineInspect
internal import TapelineSystem

/// `tapeline show FILE N`: exchanges in full.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print exchanges of a HAR in full: where the time went, heads, bodies.",
    usage: "tapeline show <file> <n> … [<options>]",
    discussion: """
      Select exchanges by the numbers that list prints and by ranges of them, or with --filter or --slowest. JSON bodies are \
      indented, other text is printed as it is, and other bodies as the beginning of their bytes; long bodies are cut, and \
      --body prints all. --slowest ranks by the time without the client's own part, such as reading its authorities before its \
      TLS hello, and without tapeline's.

      EXAMPLES
        tapeline show session.har 3
        tapeline show session.har 1-3 7
        tapeline show session.har --slowest
        tapeline show session.har --slowest --curl
        tapeline show session.har --filter 'status >= 500' --headers
        tapeline show session.har 3 --body > page.html
        tapeline show session.har 3 --events
        tapeline show session.har 3 --json | jq .timings
      """)

  @Argument(help: ArgumentHelp("The HAR to read; - for stdin.", valueName: "file"))
  var file: String

  @Argument(
    help: ArgumentHelp("The numbers of the exchanges, as list prints them, or ranges of them, as in 1-3 7.", valueName: "n"))
  var numbers: [ExchangeRange] = []

  @OptionGroup
  var selection: FilterOptions

  @Flag(help: "The slowest exchange, of those that match --filter.")
  var slowest = false

  @Flag(help: "Print only this.")
  var view: ExchangeView?

  @Option(help: ArgumentHelp("Descriptors of Protocol Buffers, by which messages are shown.", valueName: "file"))
  var proto: String?

  @OptionGroup
  var stalls: StallOptions

  @OptionGroup
  var bodySource: BodySourceOptions

  @OptionGroup
  var style: StyleOptions

  @OptionGroup
  var clock: ClockOptions

  func validate() throws {
    if numbers.isEmpty, selection.filter == nil, !slowest {
      throw ValidationError("which exchange?; give a number that tapeline list prints, or --slowest, or --filter")
    }
    if !numbers.isEmpty, selection.filter != nil || slowest {
      throw ValidationError("numbers and --filter or --slowest: both say which exchanges; give one")
    }
  }

  mutating func run() throws {
    let environment = ProcessEnvironment.variables()
    var printer = try ExchangePrinter(
      path: file, view: view, width: Terminal.width(environment: environment), palette: style.palette(environment: environment),
      clock: clock.clock, bodies: bodySource.files(besideHAR: file), stall: stalls.milliseconds, descriptors: proto)
    if !numbers.isEmpty {
      try printer.print(.numbers(numbers.map(\.numbers)))
    } else if slowest {
      try printer.print(.slowest(try selection.query()))
    } else {
      try printer.print(.matching(try selection.query()))
    }
  }
}

extension ExchangeView: EnumerableFlag {
  static func help(for view: ExchangeView) -> ArgumentHelp? {
    switch view {
    case .headers: "Both heads, as they went over the wire."
    case .body: "The response body alone, byte for byte."
    case .requestBody: "The request body alone, byte for byte."
    case .raw: "Both messages as recorded, byte for byte, nothing laid out or cut off."
    case .curl: "A curl command line that sends the request again."
    case .events: "The events of a stream, one per line: arrival, gap, name and data."
    case .debug: "The response debug description, with the full timeline."
    case .json: "The entry as JSON, in one line."
    }
  }
}
