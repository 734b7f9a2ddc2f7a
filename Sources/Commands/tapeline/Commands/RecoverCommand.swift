internal import ArgumentParser
internal import TapelineHAR
internal import TapelineInspect
internal import TapelineOffline
internal import TapelineSystem

/// `tapeline recover FILE`: every whole entry of a damaged log.
struct RecoverCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Save every intact entry of a damaged HAR.",
    discussion: """
      For a log without its end, or with a damaged middle. The damaged file is left as it is; --in-place keeps it under a name \
      that ends in .damaged.

      EXAMPLES
        tapeline recover session.har
        tapeline recover session.har -o saved.har
        tapeline recover session.har --in-place
      """)

  @Argument(help: ArgumentHelp("The HAR to read; - for stdin, with -o.", valueName: "file"))
  var file: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The HAR to write; must not exist, unless --force is given. (default: the name with .recovered before its extension)",
      valueName: "file")
  )
  var output: String?

  @Flag(help: "Replace the damaged log by the recovered one.")
  var inPlace = false

  @OptionGroup
  var overwriting: OverwritingOptions

  func validate() throws {
    if inPlace, output != nil { throw ValidationError("--in-place and -o: they contradict each other; give one") }
    if file == "-", output == nil {
      throw ValidationError("-: what comes from stdin has no name; say where to write with -o FILE")
    }
  }

  mutating func run() throws {
    try Recovery(of: file, to: output, inPlace: inPlace, replacing: overwriting.force).run()
  }
}
