internal import ArgumentParser

/// `tapeline rotate`: the next file.
struct RotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Close the HAR of a running recording and begin the next.",
    discussion: """
      Does what SIGHUP does to tapeline record: FILE.har is followed by FILE-1.har, FILE-2.har. Exchanges recorded before the \
      call are in the closed file.

      EXAMPLES
        tapeline rotate
      """)

  @OptionGroup
  var control: ControlOptions

  mutating func run() throws {
    _ = try control.client(for: "rotate").ask(.rotate)
  }
}
