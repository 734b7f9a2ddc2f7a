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
  /// The differences between the commands that record.
  struct Defaults {
    let listen: EndpointArgument
    let intercepts: Bool
    /// Whether the clients are told whom to trust.
    var handsOverTrust = false
    /// The title of the log's first page.
    let title: String
    /// The path of the log if the user has not asked for one; the caller removes the log. Absent if the log is kept in any case.
    var scratchOutput: String?
    /// A private directory of the caller that exists until the end, for files that only this run's own clients need: an
    /// authority, if none can be kept. Absent if other clients use the proxy.
    var scratch: String?
    /// How to treat a proxy that the environment names.
    var inheritedProxy = InheritedProxy.Use.ignored
    /// Changes settings that the options have made.
    var adjust: (inout ProxyConfiguration) -> Void = { _ in }
  }

  /// The path of the HAR, as it was given.
  let output: String
  /// The settings in force, for `--verbose`.
  let settings: String
  /// The authorities that clients have to trust. Absent where HTTPS is tunnelled.
  let interception: RecordingStatus.Interception?
  /// The credentials that clients must send, if they must.
  let credentials: CredentialPair?
  /// Facts that the user may not expect, one line each: a throw-away authority, and how servers are reached.
  let notes: [String]
  /// Whether the log is kept: `false` for `scratchOutput`.
  let isKept: Bool
  /// The recording's name for `--name` of the control commands.
  private let name: String
  private let server: ProxyServer
  private let recorder: Recorder
  /// Absent if there is no place for a socket: a recording is useful without it.
  private let control: ControlServer?
  private let notices = NoticeWriter()

  /// The time that exchanges in flight have to end by themselves.
  private static let gracePeriodNanoseconds: Int64 = 2_000_000_000

  /// Opens the output, then listens, then writes the port file. A failure leaves nothing behind: no listener, no empty file.
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

  /// The value for `TAPELINE_CONTROL`.
  var controlPath: String? {
    control?.path
  }

  /// The line that says where to send requests and where they are recorded.
  var announcement: String {
    "listening on \(endpoints.map(\.description).joined(separator: " and "))" + (isKept ? ", recording to \(output)" : "")
      + (control == nil ? "" : ", name \(name)")
  }

  /// The warning for the user who has started this, if any.
  var warning: String? {
    guard credentials == nil, endpoints.contains(where: { !$0.address.isLoopback }) else { return nil }
    return
      "--allow-remote: everybody who can reach this machine can use the proxy and read its pages; add --auth USER:PASSWORD"
  }

  /// Exchanges that are in the log or still on their way there; after `conclude`, all of them are in the log.
  var recordedExchanges: Int {
    let counters = recorder.counters
    return Int(clamping: counters.exchanges - counters.filteredRecords - counters.lostRecords)
  }

  /// Exchanges that --filter left out.
  var filteredExchanges: Int {
    Int(clamping: recorder.counters.filteredRecords)
  }

  /// Whether any client has ever sent a request. For any thread.
  var hasBeenUsed: @Sendable () -> Bool {
    let server = server
    return { server.activity.begun > 0 }
  }

  /// Closes the HAR and starts the next one.
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

/// Opens the file that was named, or a file with an unused name.
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

/// Prepares the proxy to decrypt HTTPS, if the options or defaults ask for that.
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
