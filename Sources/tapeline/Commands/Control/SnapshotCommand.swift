internal import ArgumentParser

/// `tapeline snapshot -o FILE`: the log as it is now.
struct SnapshotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot",
    abstract: "Write a complete copy of a running recording's HAR.",
    usage: "tapeline snapshot --output <file> [<options>]",
    discussion: """
      The copy has everything recorded before the call; after a rotation, everything of the newest file. Exchanges in flight are \
      included as far as they have come, marked with _inFlight. FILE appears at once and complete, replaces a file of that name, \
      and has mode 0600.

      EXAMPLES
        tapeline snapshot -o now.har
        tapeline wait && tapeline snapshot -o quiet.har
      """)

  @Option(name: .shortAndLong, help: ArgumentHelp("The file for the copy.", valueName: "file"))
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
