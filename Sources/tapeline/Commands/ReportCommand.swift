internal import ArgumentParser
internal import TapelineHAR
internal import TapelineInspect

/// `tapeline report FILE -o report.html`: a capture as one HTML file.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write a HAR as one HTML file, to look at in a browser.",
    usage: "tapeline report <file> [-o <report.html>] [<options>]",
    discussion: """
      The file holds all that it shows: it needs no network, can be opened from the disk, mailed and archived. It has a table \
      with filters, a waterfall, the details of each exchange, and statistics. What is in the capture never runs in it.

      The bodies make a report large. Beyond --max-size they are cut, the largest first; if that is not enough, the last exchanges \
      are left out. The report says what is missing.

      EXAMPLES
        tapeline report session.har -o session.html
        tapeline report session.har --filter 'host ~ "api"' -o api.html
        tapeline report session.har --bodies none --title v1.4 -o v1.4.html
      """)

  @Argument(help: ArgumentHelp("The HAR to read.", valueName: "file"))
  var file: String

  @Option(name: .shortAndLong, help: ArgumentHelp("The file to write, which must not exist; else stdout.", valueName: "file"))
  var output: String?

  @Option(help: "Which bodies go into the report.")
  var bodies = ReportOptions.Bodies.all

  @Option(help: ArgumentHelp("How large the report may be, about.", valueName: "size"))
  var maxSize = SizeArgument(octets: 64 << 20)

  @Option(help: ArgumentHelp("What stands above it. (default: the name of the file)", valueName: "text"))
  var title: String?

  @OptionGroup
  var bodySource: BodySourceOptions

  @OptionGroup
  var selection: FilterOptions

  /// The page alone is larger than anything below; browsers take no more than the upper bound in one document.
  private static let sizes = (1 << 20)...(1 << 30)

  func validate() throws {
    guard Self.sizes.contains(maxSize.octets) else {
      throw ValidationError("--max-size \(maxSize): out of range; give a size between 1MiB and 1GiB")
    }
  }

  mutating func run() throws {
    try LogFile.requireFile(file)
    let query = try selection.query()
    let plan = try survey(query)
    let log = try CaptureFile.header(path: file)
    let target = try makeTarget()
    var writer = ReportWriter(plan, log: log) { (piece) throws(CommandFailure) in try target.write(piece) }
    var source = try makeSource(query)
    while let (number, entry) = try source.next() {
      try writer.write(entry, number: number)
    }
    let summary = try writer.finish()
    try target.finish()
    if let output { Console.say("\(output): \(Self.text(of: summary, missingBodies: source.missingBodies))") }
  }

  private func survey(_ query: Query?) throws(CommandFailure) -> ReportPlan {
    let name = file.split(separator: "/").last.map(String.init) ?? file
    var survey = ReportSurvey(
      ReportOptions(bodies: bodies, sizeLimit: maxSize.octets, title: title ?? name, version: programVersion))
    var source = try makeSource(query)
    while let (number, entry) = try source.next() {
      survey.add(entry, number: number)
    }
    return survey.plan
  }

  private func makeSource(_ query: Query?) throws(CommandFailure) -> CaptureFile {
    try CaptureFile(path: file, filter: query, bodies: bodySource.files(besideHAR: file), bringsBodiesIn: bodies != .none)
  }

  private func makeTarget() throws(CommandFailure) -> OutputFile {
    if let output { return try OutputFile(path: output) }
    guard !Terminal.isTerminal else {
      throw CommandFailure(
        status: .usage, what: "report", why: "a terminal cannot show HTML", remedy: "name a file with -o, or send stdout to one")
    }
    return OutputFile(showing: .lines)
  }

  private static func text(of summary: ReportSummary, missingBodies: Int) -> String {
    var facts = [Count.text(summary.exchanges, "exchange", "exchanges"), ByteCountText.long(summary.octets)]
    if summary.cutBodies > 0 { facts.append("\(Count.text(summary.cutBodies, "body", "bodies")) cut or left out") }
    if missingBodies > 0 { facts.append("\(Count.text(missingBodies, "body", "bodies")) in files not found; see --bodies-from") }
    if summary.leftOut > 0 {
      facts.append("\(Count.text(summary.leftOut, "exchange", "exchanges")) left out at the end; see --max-size and --filter")
    }
    return facts.joined(separator: ", ")
  }
}

extension ReportOptions.Bodies: ExpressibleByArgument {}
