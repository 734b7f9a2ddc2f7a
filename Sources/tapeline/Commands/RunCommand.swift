internal import ArgumentParser
internal import TapelineSystem

/// `tapeline run -- COMMAND`: records one command.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a command, record its HTTP and HTTPS traffic, and exit with its status.",
    discussion: """
      The command gets the proxy variables and, because its HTTPS is decrypted, those that name the authorities to trust: the \
      system's, those that the variables named before, and ours, which is created on first use and trusted by nobody else. \
      Entries of NO_PROXY that mean this machine are removed. stdin, stdout and stderr are the command's. The exit status is the \
      command's, or 128 and the signal that killed it; 127 if it was not found, 126 if it cannot be executed; and 1 if it \
      succeeded and fewer exchanges than --require were recorded. If the proxy variables already name a proxy, traffic goes \
      through it, so a run in a run is recorded by both.

      EXAMPLES
        tapeline run -- curl -s https://example.com/
        tapeline run -o install.har -- pip install requests
        tapeline run --no-intercept --bodies none -q -- sh -c 'make test'
      """)

  @OptionGroup
  var demands: RunOptions

  @OptionGroup
  var options: CaptureOptions

  @Argument(parsing: .postTerminator, help: ArgumentHelp("The command to run, after --.", valueName: "command"))
  var command: [String] = []

  static let defaultListen = EndpointArgument.loopback(port: 0)

  func validate() throws {
    if command.isEmpty {
      throw ValidationError("no command to run; give it after --, as in: tapeline run -- curl http://example.com/")
    }
  }

  mutating func run() throws {
    let defaults = Recording.Defaults(
      listen: Self.defaultListen, intercepts: true, handsOverTrust: true, title: CommandTitle.text(of: command),
      inheritedProxy: .followed)
    throw ExitCode(try Self.run(command, options, defaults, requiring: demands.require))
  }

  /// Runs a command behind a proxy of its own, and returns the status to exit with.
  ///
  /// - Parameter required: how many exchanges have to be recorded, if the command has not failed.
  static func run(
    _ command: [String], _ options: CaptureOptions, _ defaults: Recording.Defaults, requiring required: Int
  ) throws -> Int32 {
    let directory = try PrivateDirectory(environment: ProcessEnvironment.variables())
    var defaults = defaults
    defaults.scratch = directory.path
    let recording = try Recording(options: options, defaults: defaults)
    if !options.quiet {
      if let warning = recording.warning { Console.say(warning) }
      recording.notes.forEach(Console.say)
    }
    // A user who names the recording wants to control it from elsewhere.
    if options.verbose || (options.listening.name != nil && !options.quiet) { Console.say(recording.announcement) }
    if options.verbose { Console.say(recording.settings) }
    let status: Int32
    let watch = BypassWatch(beside: recording)
    do throws(CommandFailure) {
      status = try runChild(command, through: recording, directory, watch)
    } catch {
      recording.discard()
      throw error
    }
    let bypasses = watch.stop()
    var failures = [recording.conclude(isQuiet: options.quiet)].compactMap(\.self)
    let shortage = Shortage(recorded: recording.recordedExchanges, filtered: recording.filteredExchanges, required: required)
    if recording.recordedExchanges == 0, shortage.failure != nil || !options.quiet {
      SilenceText.lines(bypasses, shortage).forEach(Console.say)
    }
    failures += [shortage.failure].compactMap(\.self)
    // If the command failed as well, the caller waits for its status, and our failures are only printed.
    guard status != 0 else {
      for failure in failures.dropFirst() { Console.say(failure.description) }
      if let failure = failures.first { throw failure }
      return 0
    }
    for failure in failures { Console.say(failure.description) }
    return status
  }

  /// Runs the command to its end and returns the status to exit with.
  private static func runChild(
    _ command: [String], through recording: Recording, _ directory: PrivateDirectory, _ watch: BypassWatch
  ) throws(CommandFailure) -> Int32 {
    // The command reads the files until it ends.
    return try withExtendedLifetime(directory) { () throws(CommandFailure) in
      let current = ProcessEnvironment.variables()
      let trust = try recording.interception.map { interception throws(CommandFailure) in
        try ClientTrust(in: directory.path, interception: interception, environment: current)
      }
      let variables = CaptureEnvironment(
        endpoint: recording.endpoints[0], credentials: recording.credentials, controlPath: recording.controlPath, trust: trust,
        nodeScript: try NodeScript(in: directory.path), current: current)
      return try ChildProcess.serve(command, environment: ProcessEnvironment.entries(replacing: variables.assignments)) {
        watch.start(on: $0, given: variables.assignments)
      }
    }
  }
}
