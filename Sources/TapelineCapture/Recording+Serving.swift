internal import TapelineClients
package import TapelineConsole
internal import TapelineControl
internal import TapelineLoop
internal import TapelineSystem

extension Recording {
  /// Records, and returns when a signal or `tapeline stop` has ended it.
  package static func serve(_ configuration: RecordingConfiguration) throws(CommandFailure) {
    OpenFileLimit.raise()
    // Must exist before anybody can know that we listen and stop us.
    let main = try MainLoop()
    main.stop(on: .interrupt, .terminate)
    let recording = try Recording(configuration)
    main.on(.hangUp) { _ in recording.rotate() }
    recording.sayNotes()
    if !configuration.isQuiet { Console.say(recording.announcement) }
    if let settings = configuration.settings { Console.say(settings) }
    ServiceManager.tell(.ready)
    main.serve()
    ServiceManager.tell(.stopping)
    if let failure = recording.conclude() { throw failure }
  }

  /// Runs a command behind a proxy of its own, and returns the status to exit with.
  ///
  /// - Parameter required: how many exchanges have to be recorded, if the command has not failed.
  package static func run(
    _ command: [String], _ configuration: RecordingConfiguration, requiring required: Int
  ) throws(CommandFailure) -> Int32 {
    let directory = try PrivateDirectory(environment: ProcessEnvironment.variables())
    var configuration = configuration
    configuration.scratch = directory.path
    let recording = try Recording(configuration)
    recording.sayNotes()
    // A user who names the recording wants to control it from elsewhere.
    if configuration.settings != nil || (configuration.name != nil && !configuration.isQuiet) {
      Console.say(recording.announcement)
    }
    if let settings = configuration.settings { Console.say(settings) }
    let status: Int32
    let watch = BypassWatch(proxies: recording.endpoints.map(\.reachable.address), isOver: recording.hasBeenUsed)
    do throws(CommandFailure) {
      status = try recording.runChild(command, configuration.credentials, directory, watch)
    } catch {
      recording.discard()
      throw error
    }
    let bypasses = watch.stop()
    var failures = [recording.conclude()].compactMap(\.self)
    let shortage = Shortage(recorded: recording.recordedExchanges, filtered: recording.filteredExchanges, required: required)
    if recording.recordedExchanges == 0, shortage.failure != nil || !configuration.isQuiet {
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

  private func sayNotes() {
    guard !isQuiet else { return }
    if let warning { Console.say(warning) }
    notes.forEach(Console.say)
  }

  /// Runs the command to its end and returns the status to exit with.
  private func runChild(
    _ command: [String], _ credentials: CredentialPair?, _ directory: PrivateDirectory, _ watch: BypassWatch
  ) throws(CommandFailure) -> Int32 {
    // The command reads the files until it ends.
    return try withExtendedLifetime(directory) { () throws(CommandFailure) in
      let current = ProcessEnvironment.variables()
      let trust = try interception.map { interception throws(CommandFailure) in
        try TrustMaterial(in: directory.path, interception: interception, environment: current)
      }
      let variables = CaptureEnvironment(
        endpoint: endpoints[0], credentials: credentials, controlPath: controlPath, trust: trust,
        nodeScript: try NodeScript(in: directory.path), current: current)
      return try ChildProcess.serve(command, environment: ProcessEnvironment.entries(replacing: variables.assignments)) {
        watch.start(on: $0, given: variables.assignments)
      }
    }
  }
}
