package import TapelineOffline
internal import TapelineCore
internal import TapelineOTLP
internal import TapelineInspect
internal import TapelineLoop
internal import TapelineProxy
internal import TapelineRecorder
internal import TapelineSystem
internal import TapelineTLS
internal import TapelineTime

/// A proxy, the recorder behind it and the control socket beside it, from listening to the last byte on disk. Owned by the
/// main thread.
package final class Recording {
  /// The path of the HAR, as it was given.
  private let output: String
  /// The authorities that clients have to trust. Absent where HTTPS is tunnelled.
  package let interception: RecordingStatus.Interception?
  /// The words for the user when the recording begins, unless it is quiet.
  package let notes: [String]
  let configuration: RecordingConfiguration
  let server: ProxyServer
  private let recorder: Recorder
  /// Absent if nothing is exported.
  private let export: LiveExport?
  /// Absent if there is no place for a socket: a recording is useful without it.
  private let control: ControlServer?
  /// Local sockets that were handed over, and that other users can open.
  private let openPaths: [String]
  let livePage: LivePage
  /// The address of the live page, for this user on this machine; absent if the proxy has local sockets alone.
  let liveAddress: String?
  /// The address that Chrome opens to attach its panel; absent if the proxy has local sockets alone.
  let panelAddress: String?
  private let notices = NoticeWriter.shared
  /// The command's, if it has one of its own.
  var network: CommandNetwork?
  /// The link that holds the command's packets, if there is one.
  var link: PacketLink? {
    didSet { link.map { recorder.note($0.recorded) } }
  }

  /// The time that exchanges in flight have to end by themselves.
  private static let gracePeriod = Duration.seconds(2)

  /// Opens the output, then listens, then writes the port file. A failure leaves nothing behind: no listener, no empty file.
  ///
  /// - Parameter handlesSignals: whether signals to end have handlers already: those that came during a restart arrive now.
  package init(_ configuration: RecordingConfiguration, handlesSignals: Bool = false) throws(CommandFailure) {
    CurrentProcess.configureAllocator()
    ProcessSignal.ignoreBrokenPipes()
    let environment = ProcessEnvironment.variables()
    var proxy = configuration.proxy
    openPaths = try HandedOverSockets.check(proxy.listenDescriptors, allowsRemote: proxy.allowsRemote)
    let setup = try configuration.https.map { https throws(CommandFailure) in
      try HTTPSSetup(
        configuration: https, speaksHTTP2: proxy.speaksHTTP2, environment: environment, scratch: configuration.scratch)
    }
    if ProcessRestart.lastCrash != nil { proxy.threads = max(1, Int(ProcessRestart.word(.threads))) }
    ProcessRestart.keep(Int64(proxy.threads), as: .threads)
    // Under their own numbers, as the service manager has named them.
    for descriptor in proxy.listenDescriptors { ProcessRestart.keep(descriptor, as: "handed over \(descriptor)") }
    proxy.interception = setup?.interception
    if let setup {
      proxy.upstreamTLS = setup.upstreamTLS
      proxy.clientCredentials = setup.clientCredentials
    } else {
      proxy.upstreamTLS = try TLSClientContext.forServers(
        of: configuration.servers, speaksHTTP2: proxy.speaksHTTP2, environment: environment)
    }
    interception = setup.map { setup in
      RecordingStatus.Interception(
        directory: AbsolutePath.of(setup.authorityDirectory.path),
        upstreamAuthorities: [configuration.https?.upstreamAuthority].compactMap(\.self).map(AbsolutePath.of))
    }
    let export = try configuration.export.map { export throws(CommandFailure) in
      try LiveExport(export, hostName: CurrentProcess.hostName)
    }
    let recorder: Recorder
    let output: String
    do throws(CommandFailure) {
      (recorder, output) = try openRecorder(configuration, export)
    } catch {
      _ = export?.finish()
      throw error
    }
    if configuration.network == nil, let link = configuration.link {
      recorder.note(RecordedNetwork(profile: link.text, seed: link.seed, holdsPackets: false))
    }
    proxy.metrics = { RecordingMetrics.append(recorder, export, to: &$0) }
    proxy.hostName = CurrentProcess.hostName
    let livePage = LivePage(
      report: LiveReport(title: OutputName.title(of: output), version: configuration.recorder.creatorVersion),
      key: LiveKey.ofUser(in: ControlDirectory.candidates(environment: environment)), recorder: recorder)
    proxy.livePage = LivePageDoor(key: livePage.key) { livePage.receive($0) }
    if !configuration.isQuiet {
      proxy.interception?.certificateNotice = { [notices] in notices.say(CertificateDemandText.line(for: $0)) }
      proxy.interception?.notice = { [notices] in notices.say(RefusalText.line(for: $0)) }
    }
    // A client that waits in the queue may bring the next crash before this returns.
    if handlesSignals { ProcessRestart.noteServing() }
    let server: ProxyServer
    do throws(CommandFailure) {
      server = try startServer(proxy, recorder: recorder)
    } catch {
      discardOutput(of: recorder)
      _ = export?.finish()
      throw error
    }
    self.export = export
    self.output = output
    self.configuration = configuration
    notes = [setup?.note].compactMap(\.self) + configuration.notes
    self.recorder = recorder
    self.server = server
    self.livePage = livePage
    livePage.attend(to: server)
    let authority = server.addresses.first.map { "\(Endpoint($0).reachable)" }
    // Where there is a password, visitors give that.
    let key = configuration.credentials == nil ? livePage.key : nil
    liveAddress = authority.map { LivePageDoor.address(at: $0, key: key) }
    panelAddress = authority.map { LivePageDoor.panelAddress(at: $0, key: key) }
    control = startControl(
      RecordingControl(
        server: server, recorder: recorder, version: configuration.recorder.creatorVersion, name: configuration.name,
        interception: interception, asksForCredentials: configuration.credentials != nil, clients: proxy.interception,
        livePage: liveAddress,
        export: export.map { export in { @Sendable in RecordingStatus.Export(export.state, to: export.url) } }),
      environment: environment)
    guard let portFile = configuration.portFile, isFirst else { return }
    do throws(CommandFailure) {
      try PortFile.write(endpoints + server.reverse.map { Endpoint($0.address) }, to: portFile)
    } catch {
      discard()
      throw error
    }
  }

  /// Where the proxy listens as a proxy, with real ports; none where it has local sockets alone.
  package var endpoints: [Endpoint] {
    server.addresses.map(Endpoint.init)
  }

  /// The value for `TAPELINE_CONTROL`.
  package var controlPath: String? {
    control?.path
  }

  package var isQuiet: Bool { configuration.isQuiet }

  /// Whether it does not go on after a crash.
  var isFirst: Bool { ProcessRestart.lastCrash == nil }

  /// From now on, a crash is survived. Tells the user and the log of the one after which the recording goes on.
  func noteServing() {
    ProcessRestart.noteServing()
    guard let crash = ProcessRestart.lastCrash else { return }
    let recorded = RecordedCrash(crash, lost: LostFlight.all(), served: .now)
    recorder.note(recorded)
    Console.say(CrashText.line(for: recorded, in: configuration.isKept ? output : nil))
  }

  /// The line that says where to send requests and where they are recorded.
  var announcement: String {
    let name = configuration.name ?? RunningRecording.standardName(processID: Int(CurrentProcess.id))
    let reverse = server.reverse.map { "\($0.address) for \($0.origin)" }
    let places = endpoints.map(\.description) + server.paths.map { "unix:\($0)" } + reverse
    return "listening on \(places.joined(separator: " and "))"
      + (configuration.isKept ? ", recording to \(output)" : "") + (control == nil ? "" : ", name \(name)")
  }

  /// The warnings for the user who has started this.
  var warnings: [String] {
    guard configuration.credentials == nil else { return [] }
    let remote =
      endpoints.contains { !$0.address.isLoopback }
      ? ["--allow-remote: everybody who can reach this machine can use the proxy and read its pages; add --auth USER:PASSWORD"]
      : []
    return remote + openPaths.map(HandedOverSockets.warning)
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

  /// Writes into the log what it misses. Call it before `conclude`.
  func note(_ missed: BypassReport) {
    recorder.note(
      bypassed: missed.connections.compactMap { bypass in
        bypass.destination.map {
          BypassedConnections(program: bypass.program, address: "\($0)", count: bypass.connections)
        }
      })
  }

  /// Closes the HAR and starts the next one.
  package func rotate() {
    server.handOnEnded()
    recorder.rotate()
  }

  /// Stops accepting, lets exchanges end, records the rest as they are, and closes the file.
  ///
  /// - Returns: the failure, when exchanges are missing from the file because it could not be written.
  package func conclude(isQuiet: Bool? = nil) -> CommandFailure? {
    control?.close()
    livePage.close()
    server.shutdown(gracePeriod: Self.gracePeriod)
    link?.stop()
    if let link { recorder.note(link.recorded) }
    let summary = recorder.finish()
    let exported = export?.finish()
    notices.finish()
    network?.release()
    if !(isQuiet ?? configuration.isQuiet), configuration.isKept {
      Console.say(SummaryText.line(for: summary))
      if let network {
        NetworkText.lines(
          network.counters, server.nameQuestions, inherited: network.inheritedSockets, holdsConnections: network.packets != nil
        ).forEach(Console.say)
      }
      if let link { Console.say(NetworkText.line(for: link.recorded)) }
      FailureText.line(for: server.activity).map(Console.say)
      if let exported, let export { Console.say(ExportText.line(for: exported, to: export.url)) }
    }
    if !(isQuiet ?? configuration.isQuiet), let rules = configuration.proxy.rules {
      RuleText.lines(for: rules()).forEach(Console.say)
    }
    guard let error = summary.writeError else { return nil }
    return CommandFailure(
      status: .writeFailed, what: error.path ?? output, why: "\(summary.lostRecords) exchanges are missing: \(error.reason)",
      remedy: error.lateRemedy)
  }

  /// Ends a recording that has not begun: an output without exchanges is removed.
  func discard() {
    control?.close()
    livePage.close()
    server.shutdown(gracePeriod: .zero)
    discardOutput(of: recorder)
    _ = export?.finish()
  }
}

/// Opens the file that was named, or a file with an unused name.
private func openRecorder(
  _ configuration: RecordingConfiguration, _ export: LiveExport?
) throws(CommandFailure) -> (Recorder, output: String) {
  var recorder = configuration.recorder
  if let export {
    recorder.exports = { entry, page in
      export.offer(entry) { SpanPage(id: page.id, title: page.title, began: Int(page.unixNanoseconds / 1_000)) }
    }
  }
  recorder.path = configuration.output ?? ""
  do throws(RecorderError) {
    if let name = configuration.output { return (try Recorder(configuration: recorder), name) }
    return try OutputName.beginUnused(from: WallClockAnchor.process.unixNanoseconds) { (name) throws(RecorderError) in
      recorder.path = name
      return (try Recorder(configuration: recorder), name)
    }
  } catch {
    throw CommandFailure(status: .cannotCreate, what: error.path ?? recorder.path, why: error.reason, remedy: error.remedy)
  }
}

private func startServer(_ configuration: ProxyConfiguration, recorder: Recorder) throws(CommandFailure) -> ProxyServer {
  do throws(LoopError) {
    let server = try ProxyServer(configuration: configuration) { recorder.inlet() }
    do throws(LoopError) {
      try server.start()
    } catch {
      server.shutdown(gracePeriod: .zero)
      throw error
    }
    return server
  } catch {
    throw CommandFailure(
      status: .unavailable, what: "cannot listen", why: error.message,
      remedy: "choose another address with --listen HOST:PORT, or port 0 for a free one")
  }
}

extension RecordingStatus.Export {
  fileprivate init(_ state: ExportState, to url: String) {
    self.init(
      url: url, made: state.counts.made, sent: state.counts.sent, rejected: state.counts.rejected, dropped: state.counts.dropped,
      queued: state.counts.queued, leftOut: state.leftOut, trouble: state.trouble)
  }
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
