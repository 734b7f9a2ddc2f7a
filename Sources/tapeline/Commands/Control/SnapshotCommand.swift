internal import ArgumentParser

/// `tapeline snapshot -o FILE`: the log as it is now.
struct SnapshotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot",
    abstract: "Copy the HAR of a running recording, whole.",
    usage: "tapeline snapshot --output <file> [<options>]",
    discussion: """
      Everything recorded before the call is in the copy, also after a rotation began another file: then it is the newest file's. What is \
      in flight is in it as well, as far as it has come, and is marked (_inFlight). \
      FILE appears at once and complete, in place of one of that name, with mode 0600.

      EXAMPLES
        tapeline snapshot -o now.har
        tapeline wait && tapeline snapshot -o quiet.har
      """)

  @Option(name: .shortAndLong, help: ArgumentHelp("The copy.", valueName: "file"))
  var output: String

  @OptionGroup
  var control: ControlOptions

  func validate() throws {
    guard output != "-" else {
      throw ValidationError("--output -: a copy is made under a name; name a file")
    }
  }

  mutating func run() throws {
    _ = try control.client(for: "snapshot").ask(.snapshot(path: AbsolutePath.of(output)))
  }
}
