internal import ArgumentParser
internal import TapelineHAR
internal import TapelineInspect
internal import TapelineOffline

/// `tapeline report FILE -o report.html`: a capture as one HTML file.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write a HAR as one HTML file, to look at in a browser.",
    usage: "tapeline report <file> [-o <report.html>] [<options>]",
    discussion: """
      The file is self-contained: it needs no network, opens from the disk, and can be mailed and archived. It has a table with \
      filters, a waterfall, the details of each exchange, and statistics. Nothing in the capture can run in it.

      Bodies make a report large. Beyond --max-size they are cut, the largest first; if that is not enough, the quickest \
      exchanges without an error are left out. The report says what is missing.

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
    let options = ReportOptions(
      bodies: bodies, sizeLimit: maxSize.bytes, title: title ?? ReportFile.title(of: file), version: programVersion, isUTC: utc)
    let report = ReportFile(
      of: file, to: output, replacing: overwriting.force, options: options, filter: try selection.query(),
      bodies: bodySource.files(besideHAR: file), isQuiet: quiet)
    try report.run()
  }
}
