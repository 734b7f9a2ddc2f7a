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
      The file is self-contained: it needs no network, opens from the disk, and can be mailed and archived. It has a table with \
      filters, a waterfall, the details of each exchange, and statistics. Nothing in the capture can run in it.

      Bodies make a report large. Beyond --max-size they are cut, the largest first; if that is not enough, the last exchanges \
      are left out. The report says what is missing.

      EXAMPLES
        tapeline report session.har -o session.html
        tapeline report session.har --filter 'host ~ "api"' -o api.html
        tapeline report session.har --bodies none --title v1.4 -o v1.4.html
      """)

  @Argument(help: ArgumentHelp("The HAR to read; - for stdin.", valueName: "file"))
  var file: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write; must not exist, unless --force is given. (default: stdout)", valueName: "file"))
  var output: String?

  @OptionGroup
  var overwriting: OverwritingOptions

  @Option(help: "Which bodies go into the report.")
  var bodies = ReportOptions.Bodies.all

  @Option(help: ArgumentHelp("The approximate maximum size of the report.", valueName: "size"))
  var maxSize = SizeArgument(bytes: 64 << 20)

  @Option(help: ArgumentHelp("The heading. (default: the name of the file)", valueName: "text"))
  var title: String?

  @Flag(name: .shortAndLong, help: "Print only errors: no progress, no last line.")
  var quiet = false

  @OptionGroup
  var bodySource: BodySourceOptions

  @Flag(help: "Show times in UTC instead of the reader's zone.")
  var utc = false

  @OptionGroup
  var selection: FilterOptions

  /// The page alone is larger than any smaller limit; browsers take no more than the upper bound in one document.
  private static let sizes = (1 << 20)...(1 << 30)

  func validate() throws {
    try overwriting.validate(output: output)
    guard Self.sizes.contains(maxSize.bytes) else {
      throw ValidationError("--max-size \(maxSize): out of range; give a size between 1MiB and 1GiB")
    }
  }

  mutating func run() throws {
    let source = try CaptureFile.source(file, for: .again)
    let query = try selection.query()
    var progress = Progress(of: "report", passes: 2, isQuiet: quiet)
    defer { progress.end() }
    let (plan, log) = try survey(source, query, &progress)
    let target = try makeTarget()
    var writer = ReportWriter(plan, log: log) { (piece) throws(CommandFailure) in try target.write(piece) }
    var capture = open(source, query)
    if let limit = plan.readingLimit { capture.limit(bodiesTo: limit) }
    progress.beginPass()
    var isFull = false
    while let (number, entry) = try capture.next() {
      try writer.write(entry, number: number)
      if !isFull, writer.isFull {
        isFull = true
        capture.limit(to: .overview)
      }
      progress.show(capture.progress)
    }
    let summary = try writer.finish()
    try target.finish()
    progress.end()
    if let output, !quiet { Console.say("\(output): \(Self.text(of: summary, missingBodies: capture.missingBodies))") }
  }

  /// The plan of the report, and the log without its entries.
  private func survey(
    _ source: InputSource, _ query: Query?, _ progress: inout Progress
  ) throws(CommandFailure) -> (ReportPlan, HARLog) {
    let name = file == "-" ? "standard input" : file.split(separator: "/").last.map(String.init) ?? file
    var survey = ReportSurvey(
      ReportOptions(bodies: bodies, sizeLimit: maxSize.bytes, title: title ?? name, version: programVersion, isUTC: utc))
    var capture = open(source, query)
    var log = CaptureHeader.unknown
    var isSettled = false
    while let (number, entry) = try capture.next(onOther: { log.take($0) }) {
      survey.add(entry, number: number)
      if let limit = survey.bodyLimit { capture.limit(bodiesTo: limit) }
      if !isSettled, survey.isSettled {
        isSettled = true
        capture.limit(to: .overview)
      }
      progress.show(capture.progress)
    }
    return (survey.plan, log)
  }

  private func open(_ source: InputSource, _ query: Query?) -> CaptureFile {
    CaptureFile(source, filter: query, bodies: bodySource.files(besideHAR: file), bringsBodiesIn: bodies != .none)
  }

  private func makeTarget() throws(CommandFailure) -> OutputFile {
    if let output { return try OutputFile(path: output, replacing: overwriting.force) }
    guard !Terminal.isTerminal else {
      throw CommandFailure(
        status: .usage, what: "report", why: "a terminal cannot show HTML", remedy: "name a file with -o, or send stdout to one")
    }
    return OutputFile(showing: .lines)
  }

  private static func text(of summary: ReportSummary, missingBodies: Int) -> String {
    var facts = [Count.text(summary.exchanges, "exchange", "exchanges"), ByteCountText.long(summary.bytes)]
    if summary.cutBodies > 0 { facts.append("\(Count.text(summary.cutBodies, "body", "bodies")) cut or left out") }
    if missingBodies > 0 { facts.append("\(Count.text(missingBodies, "body", "bodies")) in files not found; see --bodies-from") }
    if summary.leftOut > 0 {
      facts.append("\(Count.text(summary.leftOut, "exchange", "exchanges")) left out at the end; see --max-size and --filter")
    }
    return facts.joined(separator: ", ")
  }
}

extension ReportOptions.Bodies: ExpressibleByArgument {}
