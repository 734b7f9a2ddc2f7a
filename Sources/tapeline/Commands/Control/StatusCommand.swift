internal import ArgumentParser
internal import TapelineHAR

/// `tapeline status`: what a recording is doing.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Print what a running recording is doing.",
    discussion: """
      EXAMPLES
        tapeline status
        tapeline status --json | jq .traffic.inFlight
      """)

  @Flag(help: "Print one JSON object in one line.")
  var json = false

  @OptionGroup
  var control: ControlOptions

  mutating func run() throws {
    let status = try control.client().status()
    var output = StandardOutput()
    if json {
      try output.write(json: .object(status.members))
    } else {
      try output.write(lines: StatusText.lines(for: status))
    }
    try output.flush()
  }
}
