internal import ArgumentParser
internal import TapelineOffline
internal import TapelineBase
internal import TapelineTime

/// `tapeline import`: what other programs have recorded, as a HAR of ours.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Make a HAR of a trace by another program.",
    discussion: """
      EXAMPLES
        curl -sv --trace-time https://example.com/ -o page.html 2> trace.txt; tapeline import curl trace.txt -o session.har
        curl -s --trace trace.txt --trace-time --trace-ids -Z URL URL; tapeline import curl trace.txt -o session.har
        tapeline import pcap capture.pcapng --keys keys.txt -o session.har
        tapeline import har chrome.har -o session.har
      """,
    subcommands: [ImportCurlCommand.self, ImportPacketsCommand.self, ImportHARCommand.self])
}

/// The output of an import, and what is left out of it.
struct ImportOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The HAR to write; must not exist, unless --force is given; - for stdout. (default: stdout)", valueName: "file"))
  var output: String?

  @OptionGroup
  var overwriting: OverwritingOptions

  @OptionGroup
  var secrets: SecretOptions

  @Flag(name: .shortAndLong, help: "Print only errors.")
  var quiet = false

  func validate() throws {
    try overwriting.validate(output: output)
  }

  func settings(bodyLimit: SizeArgument = SizeArgument(bytes: 1 << 20)) -> ImportSettings {
    ImportSettings(
      output: output == "-" ? nil : output, replaces: overwriting.force, redactionFiles: secrets.redactionFiles,
      keepsSecrets: secrets.keepsSecrets, bodyLimit: bodyLimit.bytes, isQuiet: quiet, version: programVersion)
  }
}

/// How much of a body is kept, where bodies are gathered.
struct ImportBodyOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Keep this much of each body.", valueName: "size"))
  var maxBody = SizeArgument(bytes: 1 << 20)

  func validate() throws {
    try require("--max-body", maxBody, maxBody.bytes <= 256 << 20, "at most 256MiB")
  }
}

/// `tapeline import curl FILE…`.
struct ImportCurlCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "curl",
    abstract: "Make a HAR of what curl writes for -v, --trace or --trace-ascii.",
    usage: "tapeline import curl <file> ... [-o <file>] [<options>]",
    discussion: """
      Needs --trace-time of curl. The trace has no dates: the last line of a file is of the day on which the file was last \
      written, unless --date names the day of the first. Times are those of the local zone, or of the zone that TZ names. -v \
      shows no bodies; --trace shows all.
      """)

  @Argument(help: ArgumentHelp("The traces to read; - for stdin.", valueName: "file"))
  var files: [String]

  @Option(
    help: ArgumentHelp("The day of the first line of each trace, as in 2026-01-31.", valueName: "day"), transform: Self.day)
  var date: CivilDate?

  @OptionGroup
  var bodies: ImportBodyOptions

  @OptionGroup
  var options: ImportOptions

  private static func day(_ text: String) throws -> CivilDate {
    guard text.utf8.count == 10, case .loose(let date)? = InternetDate.read(text) else {
      throw ValidationError("--date \(text): not a day; write it as in 2026-01-31")
    }
    return date.civil
  }

  mutating func run() throws {
    try CurlImport(files, firstDay: date, options.settings(bodyLimit: bodies.maxBody)).run()
  }
}

/// `tapeline import pcap FILE --keys KEYS`.
struct ImportPacketsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pcap",
    abstract: "Make a HAR of captured packets, by tshark.",
    usage: "tapeline import pcap <file> [--keys <file>] [-o <file>] [<options>]",
    discussion: """
      Reads HTTP/1.x and HTTP/2 over TCP, in clear and, with the secrets of its connections, in TLS. tshark reads the packets and \
      decrypts; it must be installed (apt install tshark).
      """)

  @Argument(help: ArgumentHelp("The capture, in any format that tshark reads; - for stdin.", valueName: "file"))
  var file: String

  @Option(help: ArgumentHelp("The secrets of TLS connections: the file that SSLKEYLOGFILE named.", valueName: "file"))
  var keys: String?

  @OptionGroup
  var bodies: ImportBodyOptions

  @OptionGroup
  var options: ImportOptions

  mutating func run() throws {
    try PacketImport(file, keys: keys, options.settings(bodyLimit: bodies.maxBody)).run()
  }
}

/// `tapeline import har FILE`.
struct ImportHARCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "har",
    abstract: "Make a valid HAR of another program's, and replace its secrets.",
    usage: "tapeline import har <file> [-o <file>] [<options>]",
    discussion: """
      Repairs what tapeline lint finds, and habits of browsers and other proxies: pseudo-fields among the headers, names of \
      ALPN as versions, compressed bodies. It prints each rule with the number of repairs; what cannot be repaired is in the \
      comment of its entry.
      """)

  @Argument(help: ArgumentHelp("The HAR to read; - for stdin.", valueName: "file"))
  var file: String

  @OptionGroup
  var options: ImportOptions

  mutating func run() throws {
    try HARImport(file, options.settings()).run()
  }
}
