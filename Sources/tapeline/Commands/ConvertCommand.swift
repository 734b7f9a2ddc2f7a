internal import ArgumentParser
internal import TapelineHAR
internal import TapelineInspect

/// `tapeline convert FILE --to FORMAT`: a log in another form.
struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Write a HAR in another form.",
    usage: "tapeline convert <file> --to <format> [-o <file>] [<options>]",
    discussion: """
      har: the same log in our layout, an entry per line; errors that readers would reject stay (see lint). ndjson: an entry per \
      line and nothing else. csv: a line of figures per exchange, without headers and bodies (RFC 4180); a text that a \
      spreadsheet would evaluate (it begins with =, +, - or @) gets an apostrophe before it, unless you give --csv-raw.

      EXAMPLES
        tapeline convert session.har --to csv > session.csv
        tapeline convert session.har --to ndjson | jq -c .request.url
        tapeline convert pretty.har --to har -o compact.har
      """)

  @Argument(help: ArgumentHelp("The HAR to read; - for stdin.", valueName: "file"))
  var file: String

  @Option(help: ArgumentHelp("The form: har, ndjson, csv.", valueName: "format"))
  var to: Format

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write; must not exist, unless --force is given. (default: stdout)", valueName: "file"))
  var output: String?

  @OptionGroup
  var overwriting: OverwritingOptions

  @Flag(help: "In csv, leave every text as it is.")
  var csvRaw = false

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case har
    case ndjson
    case csv
  }

  func validate() throws {
    try overwriting.validate(output: output)
    if csvRaw, to != .csv { throw ValidationError("--csv-raw: it is for --to csv; leave it out") }
  }

  mutating func run() throws {
    switch to {
    case .har: try writeHAR()
    case .ndjson:
      try writeLines { entry, text in
        text.append(entry: entry)
        text.append(byte: UInt8(ascii: "\n"))
      }
    case .csv:
      let style: CSVLine.Style = csvRaw ? [] : .spreadsheet
      try writeLines(heading: EntryTable.heading) { entry, text in
        text.append(json: Array(EntryTable.line(for: entry, style).utf8).span)
      }
    }
  }

  private func writeHAR() throws(CommandFailure) {
    let source = try CaptureFile.source(file, for: .again)
    let log = try CaptureFile.header(source)
    let target = try makeTarget()
    var writer = HARWriter(log) { (piece) throws(CommandFailure) in try target.write(piece) }
    var capture = CaptureFile(source)
    while let (_, entry) = try capture.next() {
      try writer.write(entry)
    }
    try writer.finish()
    try target.finish()
  }

  private func writeLines(
    heading: String = "", _ append: (HAREntry, inout JSONWriter) -> Void
  ) throws(CommandFailure) {
    var source = try CaptureFile(path: file)
    let target = try makeTarget()
    var text = JSONWriter(capacity: 128 << 10)
    text.append(json: Array(heading.utf8).span)
    var isEmpty = true
    do throws(CommandFailure) {
      while let (_, entry) = try source.next() {
        isEmpty = false
        append(entry, &text)
        guard text.count >= 64 << 10 else { continue }
        try text.withBytes { (bytes) throws(CommandFailure) in try target.write(bytes) }
        text.truncate(to: 0)
      }
    } catch {
      // The part before the damage is a result too.
      if !isEmpty { try text.withBytes { (bytes) throws(CommandFailure) in try target.write(bytes) } }
      throw error
    }
    try text.withBytes { (bytes) throws(CommandFailure) in try target.write(bytes) }
    try target.finish()
  }

  private func makeTarget() throws(CommandFailure) -> OutputFile {
    if let output {
      try OutputFile(path: output, replacing: overwriting.force)
    } else {
      OutputFile(showing: to == .csv ? .lines : .json)
    }
  }
}
