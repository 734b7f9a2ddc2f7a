internal import ArgumentParser
internal import TapelineHAR
internal import TapelineInspect
internal import TapelineOffline
internal import TapelineRecorder

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
    let redaction = Redaction(
      of: file, to: output, replacing: overwriting.force, rules: rules, bodies: bodySource.files(besideHAR: file),
      bodiesDirectory: bodiesDirectory)
    try redaction.run()
  }
}
