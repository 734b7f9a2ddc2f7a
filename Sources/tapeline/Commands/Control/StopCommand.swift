internal import ArgumentParser

/// `tapeline stop`: ends a recording.
struct StopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "End a running recording, and return when its HAR is complete.",
    usage: "tapeline stop [<options>]",
    discussion: """
      Does what SIGTERM does: tapeline record gives exchanges in flight 2 s to finish; tapeline run passes the signal to its \
      command, and ends when the command ends. Prints the process, where it listens and which file it writes. Exits with 1 if it \
      has not ended before the time-out.

      EXAMPLES
        tapeline stop
        tapeline stop --name web --timeout 5s
      """)

  @Option(help: ArgumentHelp("Return after this, ended or not.", valueName: "time"))
  var timeout = DurationArgument(seconds: 30)

  @OptionGroup
  var control: ControlOptions

  mutating func run() throws {
    try control.client(for: "stop").stop(patience: timeout.nanoseconds)
  }
}
