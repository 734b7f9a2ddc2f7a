internal import ArgumentParser

/// Which recording a command is about.
struct ControlOptions: ParsableArguments {
  @Option(
    name: .customLong("control"),
    help: ArgumentHelp(
      "The recording's control socket. (default: $TAPELINE_CONTROL, or else your only running recording)", valueName: "path"))
  var path: String?

  func client() throws(CommandFailure) -> ControlClient {
    try ControlClient.find(named: path, environment: ProcessEnvironment.variables())
  }
}
