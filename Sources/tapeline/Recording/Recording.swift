internal import TapelineCore
internal import TapelineLoop
internal import TapelineProxy
internal import TapelineRecorder
internal import TapelineSystem
internal import TapelineTLS
internal import TapelineTime

/// A proxy, the recorder behind it and the control socket beside it, from listening to the last byte on disk. Owned by the
/// main thread.
final class Recording {
  /// What differs between the commands that record.
  struct Defaults {
    let listen: EndpointArgument
    let intercepts: Bool
    /// Whether the clients are told whom to trust.
    var handsOverTrust = false
    /// The title of the log's first page.
    let title: String
    /// Where the log goes if nobody has asked for one: the caller's to remove. Absent where one is kept in any case.
    var scratchOutput: String?
    /// A directory of the caller's, private and there until the end, for what only this run's own clients need: an authority, where none can
    /// be kept. Absent where the clients are others.
    var scratch: String?
    /// What becomes of a proxy that the environment names.
    var inheritedProxy = InheritedProxy.Use.ignored
    /// What is to be otherwise than the options say.
    var adjust: (inout ProxyConfiguration) -> Void = { _ in }
  }

  /// The HAR, as it was named.
  let output: String
  /// The settings in force, for `--verbose`.
  let settings: String
  /// What clients have to trust. Absent where HTTPS is tunnelled.
  let interception: RecordingStatus.Interception?
  /// What clients are asked for, if they are.
  let credentials: CredentialPair?
  /// How servers are reached, where the person who has started this may not expect it; a line each.
  let notes: [String]
  /// Whether anybody has asked for the log.
  let isKept: Bool
  /// What the control commands' `--name` takes.
  private let name: String
  private let server: ProxyServer
  private let recorder: Recorder
  /// Absent where there is no place for a socket: a recording is worth having without.
  private let control: ControlServer?
  private let notices = NoticeWriter()

  /// How long exchanges under way get to end by themselves.
  private static let gracePeriodNanoseconds: Int64 = 2_000_000_000

  /// Opens the output, then listens, then says where. Whatever fails, nothing is left behind: no listener, no empty file.
  init(options: CaptureOptions, defaults: Defaults) throws(CommandFailure) {
    CurrentProcess.configureAllocator()
    ProcessSignal.ignoreBrokenPipes()
    let environment = ProcessEnvironment.variables()
    var configuration = options.proxyConfiguration(defaultListen: defaults.listen)
    let interception = try prepareInterception(options.https, defaults, environment: environment, in: &configuration)
    self.interception = interception?.status
    credentials = try options.access.auth.map { argument throws(CommandFailure) in
      try CredentialPair.read(argument, for: "--auth")
    }
    configuration.access = options.access.policy(credentials: credentials)
    let route = try options.upstream.route(
      besides: configuration.listen, environment: environment, use: defaults.inheritedProxy)
    configuration.upstreamProxy = route.proxy
    notes = [interception?.note].compactMap(\.self) + route.notes
    let (recorder, output) = try openRecorder(options, defaults)
    configuration.metrics = { RecordingMetrics.append(recorder, to: &$0) }
    configuration.hostName = CurrentProcess.hostName
    configuration.interception?.handsOverTrust = defaults.handsOverTrust
    if !options.quiet {
      configuration.interception?.notice = { [notices] in notices.say(RefusalText.line(for: $0)) }
    }
    defaults.adjust(&configuration)
    let server: ProxyServer
    do throws(CommandFailure) {
      server = try startServer(configuration, recorder: recorder)
    } catch {
      discardOutput(of: recorder)
      throw error
    }
    self.output = output
    name = options.listening.name ?? RunningRecording.standardName(processID: Int(CurrentProcess.id))
    isKept = options.log.output != nil || defaults.scratchOutput == nil
    settings = options.settingsText(of: configuration)
    self.recorder = recorder
    self.server = server
    control = startControl(
      RecordingControl(
        server: server, recorder: recorder, title: recorder.title, name: options.listening.name, interception: self.interception,
        asksForCredentials: credentials != nil, clients: configuration.interception),
      environment: environment)
    guard let portFile = options.listening.portFile else { return }
    do throws(CommandFailure) {
      try PortFile.write(endpoints, to: portFile)
    } catch {
      discard()
      throw error
    }
  }

  /// Where the proxy listens, with real ports; at least one.
  var endpoints: [EndpointArgument] {
    server.addresses.map(EndpointArgument.init)
  }

  /// What `TAPELINE_CONTROL` says.
  var controlPath: String? {
    control?.path
  }

  /// The line that says where to send requests and where they will be found.
  var announcement: String {
    "listening on \(endpoints.map(\.description).joined(separator: " and "))" + (isKept ? ", recording to \(output)" : "")
      + (control == nil ? "" : ", name \(name)")
  }

  /// What the person who has started this should know of it; `nil` when there is nothing.
  var warning: String? {
    guard credentials == nil, endpoints.contains(where: { !$0.address.isLoopback }) else { return nil }
    return
      "--allow-remote: everybody who can reach this machine can use the proxy and read its pages; add --auth USER:PASSWORD"
  }

  /// Exchanges that are in the log, or still on their way there; all of them after `conclude`.
  var recordedExchanges: Int {
    let counters = recorder.counters
    return Int(clamping: counters.exchanges - counters.filteredRecords - counters.lostRecords)
  }

  /// Exchanges that --filter left out.
  var filteredExchanges: Int {
    Int(clamping: recorder.counters.filteredRecords)
  }

  /// Whether any client has ever asked for anything. For any thread.
  var hasBeenUsed: @Sendable () -> Bool {
    let server = server
    return { server.activity.begun > 0 }
  }

  /// Closes the HAR and starts the next.
  func rotate() {
    recorder.rotate()
  }

  /// Stops accepting, lets exchanges end, records the rest as they are, and closes the file.
  ///
  /// - Returns: the failure, when exchanges are missing from the file because it could not be written.
  func conclude(isQuiet: Bool) -> CommandFailure? {
    control?.close()
    server.shutdown(gracePeriodNanoseconds: Self.gracePeriodNanoseconds)
    let summary = recorder.finish()
    notices.finish()
    if !isQuiet, isKept { Console.say(SummaryText.line(for: summary)) }
    guard let error = summary.writeError else { return nil }
    return CommandFailure(
      status: .writeFailed, what: error.path ?? output, why: "\(summary.lostRecords) exchanges are missing: \(error.reason)",
      remedy: "record again with enough room")
  }

  /// Ends a recording that has not begun: an output without exchanges is removed.
  func discard() {
    control?.close()
    server.shutdown(gracePeriodNanoseconds: 0)
    discardOutput(of: recorder)
  }
}

/// Opens the file that was named, or one of a name that nobody has.
private func openRecorder(
  _ options: CaptureOptions, _ defaults: Recording.Defaults
) throws(CommandFailure) -> (Recorder, output: String) {
  let name = options.log.output ?? defaults.scratchOutput
  var configuration = try options.recorderConfiguration(output: name ?? "", title: defaults.title)
  do throws(RecorderError) {
    if let name { return (try Recorder(configuration: configuration), name) }
    return try OutputName.beginUnused(from: WallClockAnchor.process.unixNanoseconds) { (name) throws(RecorderError) in
      configuration.path = name
      return (try Recorder(configuration: configuration), name)
    }
  } catch {
    throw CommandFailure(status: .cannotCreate, what: error.path ?? configuration.path, why: error.reason, remedy: error.remedy)
  }
}

private func startServer(_ configuration: ProxyConfiguration, recorder: Recorder) throws(CommandFailure) -> ProxyServer {
  do throws(LoopError) {
    let server = try ProxyServer(configuration: configuration) { recorder.record($0) }
    do throws(LoopError) {
      try server.start()
    } catch {
      server.shutdown(gracePeriodNanoseconds: 0)
      throw error
    }
    return server
  } catch {
    throw CommandFailure(
      status: .unavailable, what: "cannot listen", why: error.message,
      remedy: "choose another address with --listen HOST:PORT, or port 0 for a free one")
  }
}

/// Gives the proxy what it needs to decrypt HTTPS, if that is asked for.
private func prepareInterception(
  _ options: HTTPSOptions, _ defaults: Recording.Defaults, environment: [String: String],
  in configuration: inout ProxyConfiguration
) throws(CommandFailure) -> (status: RecordingStatus.Interception, note: String?)? {
  guard options.intercepts(byDefault: defaults.intercepts) else { return nil }
  let setup = try HTTPSSetup(options: options, environment: environment, scratch: defaults.scratch)
  configuration.interception = setup.interception
  configuration.upstreamTLS = setup.upstreamTLS
  let status = RecordingStatus.Interception(
    directory: AbsolutePath.of(setup.authorityDirectory.path),
    upstreamAuthorities: [options.upstreamAuthority].compactMap(\.self).map(AbsolutePath.of))
  return (status, setup.note)
}

private func startControl(_ control: RecordingControl, environment: [String: String]) -> ControlServer? {
  do throws(CommandFailure) {
    return try ControlServer(directories: ControlDirectory.candidates(environment: environment), answer: control.answer)
  } catch {
    Console.say(error.description)
    return nil
  }
}

/// Removes the files of a recorder that recorded nothing.
private func discardOutput(of recorder: Recorder) {
  let summary = recorder.finish()
  guard summary.exchanges == 0 else { return }
  for file in summary.files {
    SystemCalls.removeIfPossible(file)
  }
}
