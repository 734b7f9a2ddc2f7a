internal import ArgumentParser
internal import TapelineHAR
internal import TapelineInspect
internal import TapelineRecorder
internal import TapelineRedaction

/// `tapeline redact FILE -o OUT`: a log without its secrets.
struct RedactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "redact",
    abstract: "Replace the secrets in a HAR.",
    usage: "tapeline redact <file> --output <file> [<options>]",
    discussion: """
      Finds credentials, cookies, tokens and passwords by the rules of record and run, in any program's HAR. Equal secrets stay \
      equal; each run of this command makes a new key. It prints what it could not look into.

      Bodies in separate files (record --bodies-dir) move into the entries, or into the directory that --bodies-dir names.

      EXAMPLES
        tapeline redact session.har -o for-the-ticket.har
        tapeline redact chrome.har --redact our-rules.txt -o clean.har
      """)

  @Argument(help: ArgumentHelp("The HAR to read; - for stdin.", valueName: "file"))
  var file: String

  @Option(
    name: .shortAndLong, help: ArgumentHelp("The HAR to write; must not exist, unless --force is given.", valueName: "file"))
  var output: String

  @Option(
    name: .customLong("redact"),
    help: ArgumentHelp(
      "More rules for secrets: a file with lines header NAME, name GLOB, pattern REGEX; repeatable.", valueName: "file"))
  var rules: [String] = []

  @Option(
    name: .customLong("bodies-dir"),
    help: ArgumentHelp("Put bodies into this directory, a file for each distinct one.", valueName: "directory"))
  var bodiesDirectory: String?

  @OptionGroup
  var bodySource: BodySourceOptions

  @OptionGroup
  var overwriting: OverwritingOptions

  mutating func run() throws {
    let source = try CaptureFile.source(file, for: .again)
    var redactor = EntryRedactor(rules: try RedactionFiles.rules(rules))
    var (log, count) = try header(of: source, &redactor)
    let target = try OutputFile(path: output, replacing: overwriting.force)
    let bodies = try redactedBodies()
    var writer = HARWriter(log) { (piece) throws(CommandFailure) in try target.write(piece) }
    var capture = CaptureFile(source, bodies: bodySource.files(besideHAR: file), bringsBodiesIn: true)
    while var (_, entry) = try capture.next() {
      count += redactor.redact(&entry)
      do throws(RecorderError) {
        try bodies.putOut(&entry)
      } catch {
        throw Self.failure(error, status: .writeFailed)
      }
      try writer.write(entry)
    }
    try writer.finish()
    try target.finish()
    var unseen = redactor.unseen
    unseen.missingFiles = capture.missingBodies
    let rest = unseen.text.isEmpty ? "" : "; not looked into: \(unseen.text)"
    Console.say("\(output): \(Count.text(count, "secret", "secrets")) replaced\(rest)")
  }

  private func redactedBodies() throws(CommandFailure) -> RedactedBodies {
    do throws(RecorderError) {
      return try RedactedBodies(besideHAR: output, directory: bodiesDirectory)
    } catch {
      throw Self.failure(error, status: .cannotCreate)
    }
  }

  private static func failure(_ error: RecorderError, status: ExitStatus) -> CommandFailure {
    CommandFailure(status: status, what: error.path ?? "bodies", why: error.reason, remedy: error.remedy)
  }

  /// The log without its entries, redacted, and the number of secrets that were in it.
  private func header(of source: InputSource, _ redactor: inout EntryRedactor) throws(CommandFailure) -> (log: HARLog, count: Int)
  {
    var log = try CaptureFile.header(source)
    var count = 0
    for index in log.pages.indices { count += redactor.redact(&log.pages[index]) }
    for index in log.custom.members.indices { count += redactor.redact(&log.custom.members[index]) }
    if var comment = log.comment {
      count += redactor.redact(title: &comment)
      log.comment = comment
    }
    return (log, count)
  }
}
