internal import ArgumentParser
internal import TapelineOffline
internal import TapelineLive
internal import TapelineHAR
internal import TapelineInspect
internal import TapelineSystem

/// `tapeline status`: what a recording is doing.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Print what a running recording is doing.",
    discussion: """
      --all prints a line for each of your recordings, which begins with the option that selects it.

      EXAMPLES
        tapeline status
        tapeline status --all
        tapeline status --json | jq .traffic.inFlight
      """)

  @Flag(help: "Print one JSON object on one line.")
  var json = false

  @Flag(help: "List all your recordings.")
  var all = false

  @OptionGroup
  var target: TargetOptions

  func validate() throws {
    if all, target.designation != nil {
      throw ValidationError("--all and \(target.name == nil ? "--control" : "--name"): they contradict each other; give one")
    }
  }

  mutating func run() throws {
    if all { return try list() }
    let status = try target.recording().status
    if json { return try StandardOutput.print(json: .object(status.members)) }
    try StandardOutput.print(StatusText.lines(for: status))
  }

  private func list() throws {
    let recordings = RunningRecording.all(environment: ProcessEnvironment.variables())
    var output = StandardOutput()
    if json {
      for recording in recordings { try output.write(json: .object(recording.status.members)) }
    } else {
      try output.write(lines: RunningRecording.choices(recordings).map { String($0.drop { $0 == " " }).printable })
    }
    try output.flush()
  }
}
