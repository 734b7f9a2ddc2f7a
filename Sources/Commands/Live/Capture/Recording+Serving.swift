package import TapelineOffline
internal import TapelineLoop
internal import TapelineProxy
internal import TapelineSystem
internal import TapelineTime

extension Recording {
  /// Records, and returns when a signal or `tapeline stop` has ended it.
  package static func serve(_ configuration: RecordingConfiguration) throws(CommandFailure) {
    begin(configuration)
    OpenFileLimit.raise()
    // Must exist before anybody can know that we listen and stop us.
    let main = try MainLoop()
    main.stop(on: .interrupt, .terminate)
    var begun: Recording?
    main.on(.hangUp) { _ in begun?.rotate() }
    let recording = try Recording(configuration, handlesSignals: true)
    begun = recording
    recording.sayNotes()
    if !configuration.isQuiet, recording.isFirst { Console.say(recording.announcement) }
    if let settings = configuration.settings, recording.isFirst { Console.say(settings) }
    ServiceManager.tell(.ready)
    recording.noteServing()
    main.serve()
    ServiceManager.tell(.stopping)
    if let failure = recording.conclude() { throw failure }
  }

  /// Runs a command behind a proxy of its own, and returns the status to exit with.
  ///
  /// - Parameters:
  ///   - command: for a browser, its options and addresses.
  ///   - required: what has to be recorded, if the command has not failed.
  package static func run(
    _ command: [String], _ configuration: RecordingConfiguration, requiring required: RunRequirement
  ) throws(CommandFailure) -> Int32 {
    begin(configuration)
    let directory = try PrivateDirectory(environment: ProcessEnvironment.variables(), outlivesCrashes: true)
    var configuration = configuration
    configuration.scratch = directory.path
    let recording = try Recording(configuration)
    recording.sayNotes()
    if recording.isFirst { recording.sayBeginning(of: configuration) }
    let status: Int32
    let watch = BypassWatch(proxies: recording.endpoints.map(\.reachable.address))
    do throws(CommandFailure) {
      try recording.awaitPanel()
      status = try recording.runChild(command, directory, watch, requiring: required)
      try recording.awaitPanelsEnd()
    } catch {
      recording.discard()
      throw error
    }
    let missed = watch.stop()
    recording.note(missed)
    var failures = [recording.conclude()].compactMap(\.self)
    let shortage = Shortage(
      recorded: recording.recordedExchanges, filtered: recording.filteredExchanges, required: required.exchanges)
    if recording.recordedExchanges == 0, shortage.failure != nil || !configuration.isQuiet {
      SilenceText.lines(missed, shortage, in: recording.network?.counters).forEach(Console.say)
    } else if !configuration.isQuiet || required.isEverything {
      [MissedText.line(for: missed)].compactMap(\.self).forEach(Console.say)
    }
    if !configuration.isQuiet { [MissedText.doubtfulLine(for: missed)].compactMap(\.self).forEach(Console.say) }
    failures += [shortage.failure, required.isEverything ? MissedText.failure(for: missed) : nil].compactMap(\.self)
    // If the command failed as well, the caller waits for its status, and our failures are only printed.
    guard status != 0 else {
      for failure in failures.dropFirst() { Console.say(failure.description) }
      if let failure = failures.first { throw failure }
      return 0
    }
    for failure in failures { Console.say(failure.description) }
    return status
  }

  private static func begin(_ configuration: RecordingConfiguration) {
    guard configuration.survivesCrashes else { return }
    ProcessRestart.arm()
    WallClockAnchor.keep()
  }

  /// A user who names the recording of a command wants to control it from elsewhere.
  private func sayBeginning(of configuration: RecordingConfiguration) {
    if configuration.settings != nil || (configuration.name != nil && !configuration.isQuiet) { Console.say(announcement) }
    if let settings = configuration.settings { Console.say(settings) }
    if configuration.announcesLivePage, let liveAddress { Console.say("live at \(liveAddress)") }
  }

  /// With `--devtools`, the command starts when Chrome's panel is there: most commands would be over before.
  private func awaitPanel() throws(CommandFailure) {
    guard configuration.waitsForPanel, ProcessRestart.word(.child) == 0, let panelAddress else { return }
    let invitation = ["the command starts when Chrome's network panel is attached; open this in Chrome:", panelAddress]
    guard try isAwaited(panels: true, saying: invitation) else {
      throw CommandFailure(
        status: .unavailable, what: "the command was not started", why: "no panel was attached",
        remedy: "run it without --devtools")
    }
  }

  /// The panel asks for bodies as long as it is open.
  private func awaitPanelsEnd() throws(CommandFailure) {
    guard configuration.waitsForPanel, livePage.hasPanels else { return }
    let farewell = "the command has ended; the recording ends when the panel is closed, or with Ctrl-C"
    _ = try isAwaited(panels: false, saying: isQuiet ? [] : [farewell])
  }

  /// Waits until panels are attached, or none is. Returns whether that came before a signal to stop.
  ///
  /// - Parameter lines: said once a signal ends the waiting, and not the program.
  private func isAwaited(panels: Bool, saying lines: [String]) throws(CommandFailure) -> Bool {
    let main = try MainLoop()
    main.stop(on: .interrupt, .terminate)
    lines.forEach(Console.say)
    livePage.whenPanels(are: panels, main.stopper)
    main.serve()
    return livePage.hasPanels == panels
  }

  private func sayNotes() {
    guard !isQuiet, isFirst else { return }
    warnings.forEach(Console.say)
    notes.forEach(Console.say)
  }

  /// Runs the command to its end and returns the status to exit with.
  private func runChild(
    _ command: [String], _ directory: PrivateDirectory, _ watch: BypassWatch, requiring required: RunRequirement
  ) throws(CommandFailure) -> Int32 {
    // The command reads the files until it ends.
    return try withExtendedLifetime(directory) { () throws(CommandFailure) in
      if let child = ChildIdentifier.kept { return try goOn(with: child, watch) }
      let current = ProcessEnvironment.variables()
      let trust = try interception.map { interception throws(CommandFailure) in
        try TrustMaterial(in: directory.path, interception: interception, environment: current)
      }
      let variables = CaptureEnvironment(
        endpoint: endpoints[0], credentials: configuration.credentials, controlPath: controlPath, trust: trust,
        nodeScript: try NodeScript(in: directory.path), current: current)
      return try ChildProcess.serve { () throws(CommandFailure) in
        defer { noteServing() }
        if let child = try startInNetwork(command, trust, current) { return child }
        let started = try ChildProcess.startWatched(
          try configuration.browser?.command(
            command, endpoint: endpoints[0], trust: trust, directory: directory.path, environment: current) ?? command,
          environment: ProcessEnvironment.entries(replacing: variables.assignments), renouncing: required.isEverything)
        watch.start(on: started, given: variables.assignments)
        BypassWatch.keep(variables.assignments)
        return started.child
      }
    }
  }

  /// Serves the command that was started before a crash, to its end.
  private func goOn(with child: ChildIdentifier, _ watch: BypassWatch) throws(CommandFailure) -> Int32 {
    try ChildProcess.serve { () throws(CommandFailure) in
      if let kept = CommandNetwork.kept {
        try serve(kept, to: child)
      } else {
        watch.goOn(with: child)
      }
      noteServing()
      return child
    }
  }

  /// Starts the command in a network of its own; `nil` if it is to have none, or cannot have one.
  private func startInNetwork(
    _ command: [String], _ trust: TrustMaterial?, _ current: [String: String]
  ) throws(CommandFailure) -> ChildIdentifier? {
    guard configuration.network != nil else { return nil }
    let variables = NetworkEnvironment(controlPath: controlPath, trust: trust, current: current)
    let environment = ProcessEnvironment.entries(replacing: variables.assignments, removing: variables.removed)
    switch try CommandNetwork.start(command, environment: environment, isLinked: configuration.link != nil) {
    case .refused(let refusal):
      if let link = configuration.link {
        throw CommandFailure(
          status: .unavailable, what: "--network", why: refusal.text,
          remedy: "delay exchanges instead of packets: "
            + (link.rules.isEmpty ? "--rule '*: delay 150ms'" : link.rules.map { "--rule '\($0)'" }.joined(separator: " ")))
      }
      Console.say("--all: \(refusal.text); the command is told about the proxy by variables instead")
      return nil
    case .started(let child, let network):
      if let network { try serve(network, to: child) }
      return child
    }
  }

  private func serve(_ network: CommandNetwork, to child: ChildIdentifier) throws(CommandFailure) {
    self.network = network
    try holdPackets(of: network, with: child)
    do throws(LoopError) {
      try server.serve(
        NetworkSockets(
          listeners: network.listeners, packets: network.packets, diagnostics: network.diagnostics,
          names: network.nameSockets, nameServer: configuration.network?.nameServer?.address))
    } catch {
      throw abandon(child, because: error.message)
    }
  }

  /// Has the command's packets held, if they are to be.
  private func holdPackets(of network: CommandNetwork, with child: ChildIdentifier) throws(CommandFailure) {
    guard let profile = configuration.link, let socket = network.link else { return }
    do throws(SystemCallError) {
      link = try PacketLink(sharing: socket, profile)
    } catch {
      throw abandon(child, because: error.text)
    }
  }

  /// The command waits for its connections, and is of no use without us.
  private func abandon(_ child: ChildIdentifier, because reason: String) -> CommandFailure {
    ProcessSignal.send(ProcessSignal.kill, to: child.id)
    _ = child.collect()
    return CommandFailure(
      status: .unavailable, what: "cannot serve the command's network", why: reason, remedy: "run it without --all")
  }
}
