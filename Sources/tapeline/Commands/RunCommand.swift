internal import ArgumentParser
internal import Glibc

/// `tapeline run -- COMMAND`: records one command.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a command with its HTTP traffic recorded, and exit as it did.",
    discussion: """
      The command gets HTTP_PROXY, HTTPS_PROXY and ALL_PROXY in both spellings; entries of NO_PROXY that mean this machine are \
      taken out. stdin, stdout and stderr are the command's. The exit status is the command's, or 128 and the signal that killed \
      it; 127 when it was not found, 126 when it cannot be executed.

      EXAMPLES
        tapeline run -- curl -s http://example.com/
        tapeline run -o update.har -- apt-get update
        tapeline run --bodies none -q -- sh -c 'make test'
      """)

  @OptionGroup(title: "Recording options")
  var options: CaptureOptions

  @Argument(parsing: .postTerminator, help: ArgumentHelp("The command to run, after --.", valueName: "command"))
  var command: [String] = []

  private static let defaultListen = EndpointArgument.loopback(port: 0)

  func validate() throws {
    if command.isEmpty {
      throw ValidationError("no command to run; give it after --, as in: tapeline run -- curl http://example.com/")
    }
  }

  mutating func run() throws {
    let recording = try Recording(options: options, defaultListen: Self.defaultListen, title: "tapeline run \(command[0])")
    if options.verbose {
      Console.say(recording.announcement)
      Console.say(recording.settings)
    }
    let status: Int32
    do throws(CommandFailure) {
      status = try runChild(through: recording.endpoints[0])
    } catch {
      recording.discard()
      throw error
    }
    if let failure = recording.conclude(isQuiet: options.quiet) {
      // Where the command failed as well, its status is what the caller waits for, and ours is only said.
      guard status != 0 else { throw failure }
      Console.say(failure.description)
    }
    throw ExitCode(status)
  }

  /// Runs the command to its end and returns the status to exit with.
  private func runChild(through endpoint: EndpointArgument) throws(CommandFailure) -> Int32 {
    let variables = ProxyEnvironment(endpoint: endpoint, current: ProcessEnvironment.variables())
    let environment = ProcessEnvironment.entries(replacing: variables.assignments)
    return try ChildProcess.serve(command, environment: environment)
  }
}
