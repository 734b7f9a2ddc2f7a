internal import ArgumentParser
internal import TapelineHAR
internal import TapelineInspect
internal import TapelineOffline

/// `tapeline merge A B… -o OUT`: one log of several.
struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Join several HARs into one.",
    discussion: """
      Entries come in the order in which their exchanges began, each unchanged. Pages are kept; if two logs have pages with the \
      same id, those of the later one are renamed. Entries still find their bodies in files if the new log is in another \
      directory. A member _merged gives the source of each entry.

      EXAMPLES
        tapeline merge session.har session-001.har -o whole.har
        tapeline merge client.har proxy.har -o both.har
      """)

  @Argument(help: ArgumentHelp("The HARs to read, two or more; - for stdin.", valueName: "file"))
  var files: [String]

  @Option(
    name: .shortAndLong, help: ArgumentHelp("The HAR to write; must not exist, unless --force is given.", valueName: "file"))
  var output: String

  @OptionGroup
  var overwriting: OverwritingOptions

  func validate() throws {
    if files.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("standard input: it is only one capture; name files for the others")
    }
    if files.count < 2 { throw ValidationError("merge: there must be two logs or more; name them before -o") }
  }

  mutating func run() throws {
    try Merging.merge(files, to: output, replacing: overwriting.force, version: programVersion)
  }
}
