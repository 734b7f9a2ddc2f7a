internal import ArgumentParser
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
      TLS hello.

      EXAMPLES
        tapeline show session.har 3
        tapeline show session.har 1-3 7
        tapeline show session.har --slowest
        tapeline show session.har --slowest --curl
        tapeline show session.har --filter 'status >= 500' --headers
        tapeline show session.har 3 --body > page.html
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
    let source = try CaptureFile.source(file, for: .again)
    var printer = ExchangePrinter(
      source: source, view: view, width: Terminal.width(environment: environment),
      palette: style.palette(environment: environment),
      clock: clock.clock, bodies: bodySource.files(besideHAR: file))
    do {
      if !numbers.isEmpty {
        try print(numbers.map(\.numbers), of: source, to: &printer)
      } else if slowest {
        let number = try slowestNumber(source)
        try print([number...number], of: source, to: &printer)
      } else {
        try printFiltered(source, to: &printer)
      }
    } catch {
      // The exchanges before the failure are a result too.
      try printer.flush()
      throw error
    }
    try printer.flush()
  }

  private func print(
    _ ranges: [ClosedRange<Int>], of source: InputSource, to printer: inout ExchangePrinter
  ) throws(CommandFailure) {
    // In the order of the file, exchanges are printed as they come; in any other order they wait for each other.
    let isInOrder = zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }
    var held: [Int: HAREntry] = [:]
    var found = NumberedExchanges(ranges, in: source)
    while let (number, entry) = try next(&found) {
      if isInOrder { try printer.print(entry, number: number) } else { held[number] = entry }
    }
    for number in ranges.lazy.joined() {
      guard number <= found.count else {
        throw CommandFailure(
          status: .usage, what: "\(file), exchange \(number)",
          why: "the file has \(Count.text(found.count, "exchange", "exchanges"))",
          remedy: "choose one of those that tapeline list prints")
      }
      if let entry = held[number] { try printer.print(entry, number: number) }
    }
  }

  private func next(_ exchanges: inout NumberedExchanges) throws(CommandFailure) -> (number: Int, entry: HAREntry)? {
    do throws(CaptureError) {
      return try exchanges.next()
    } catch {
      throw CaptureFile.failure(file, error)
    }
  }

  private func printFiltered(_ input: InputSource, to printer: inout ExchangePrinter) throws {
    var source = CaptureFile(input, filter: try selection.query(), bodies: bodySource.files(besideHAR: file))
    var count = 0
    while let (number, entry) = try source.next() {
      try printer.print(entry, number: number)
      count += 1
    }
    if count == 0 { throw nothing }
  }

  private func slowestNumber(_ input: InputSource) throws -> Int {
    var source = CaptureFile(
      input, parts: .overview, filter: try selection.query(), bodies: bodySource.files(besideHAR: file))
    var longest: (number: Int, time: Double)?
    while let (number, entry) = try source.next() {
      if let longest, longest.time >= entry.total { continue }
      longest = (number, entry.total)
    }
    guard let longest else { throw nothing }
    return longest.number
  }

  private var nothing: CommandFailure {
    CommandFailure(
      status: .conditionFailed, what: file, why: selection.filter == nil ? "it has no exchange" : "no exchange matches --filter",
      remedy: "choose others")
  }
}
