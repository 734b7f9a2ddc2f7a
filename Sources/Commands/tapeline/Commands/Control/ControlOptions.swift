internal import ArgumentParser
internal import TapelineOffline
internal import TapelineLive

/// The recording that a command is about.
struct TargetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The recording's --name, or its process id. (default: see --control)", valueName: "name"))
  var name: String?

  @Option(
    name: .customLong("control"),
    help: ArgumentHelp(
      "The recording's control socket. (default: $TAPELINE_CONTROL, else the only recording that this directory or the proxy variables identify)",
      valueName: "path"))
  var path: String?

  func validate() throws {
    if name != nil, path != nil {
      throw ValidationError("--name and --control: both select the recording; give one")
    }
  }

  var designation: RunningRecording.Designation? {
    path.map { .socket($0) } ?? name.map { .name($0) }
  }

  func recording() throws(CommandFailure) -> RunningRecording {
    try RunningRecording.find(designation, from: .current())
  }
}

/// The same for a command that says on stderr which recording it acts on.
struct ControlOptions: ParsableArguments {
  @OptionGroup
  var target: TargetOptions

  // `wait --quiet` has another meaning.
  @Flag(name: [.customShort("q"), .long], help: "Do not print which recording it is.")
  var silent = false

  /// Prints the recording before anything is done to it, so that the user knows it even after a failure.
  func client(for command: String) throws(CommandFailure) -> ControlClient {
    let recording = try target.recording()
    if !silent { Console.say("\(command): \(recording.text)") }
    return recording.client
  }
}
