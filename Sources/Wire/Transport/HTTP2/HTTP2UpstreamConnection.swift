internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime

/// A connection to an origin that speaks HTTP/2: carries many tasks, each on a stream of its own. Loop-bound.
///
/// An `UpstreamOpening` opens it and hands over its link. Kept alive by the link and by its store. What the frames of a turn
/// say is told at once; what we have to say goes out once, when the turn's handlers have returned. Its extensions act on streams
/// (`+Streams`).
final class HTTP2UpstreamConnection {
  /// The most output that is made before the kernel or TLS gets it.
  private static let stride = 64 * 1024

  let route: Route
  /// The route's, which every request needs.
  let authority: String
  let transport: NetworkTransport
  var machine = StateMachine()
  var http: HTTP2Connection
  private let handshake: HandshakeOutcome?
  private let clientHandshake: ClientHandshake?
  private var link: Link?
  private var info: ConnectionInfo
  private var places: ConnectionPlaces?
  /// Where it is found by tasks; `nil` before its first task and after its end.
  private(set) var store: (any ConnectionStore)?
  var streams = StreamTable<UpstreamStream>()
  var line = StreamLine()
  /// Streams whose content was pulled in this turn.
  private var hungry: [UpstreamStream] = []
  private var sent = SentFrames()
  private var received = ReceivedFrames()
  /// When the loop read the bytes that came last.
  private(set) var lastRead = MonotonicInstant.now
  /// When there was last room again for output that had been held back.
  private var drained: MonotonicInstant?
  private var isAwaitingTurn = false
  private var idlePatience = Patience()
  /// The origin has gone away with this reason.
  var requiresHTTP1 = false
  /// Is told, as long as the connection has carried nothing, what its peer does.
  var onUnused: ((UnusedEvent) -> Void)?

  enum UnusedEvent {
    case settings(offersExtendedConnect: Bool)
    /// The peer has ended the connection, and may have asked for a certificate that it did not get.
    case ended(TransportError, lacksCertificate: Bool)
  }

  init(_ opened: OpenedConnection, transport: NetworkTransport) {
    route = opened.route
    authority = opened.route.authority
    link = opened.link
    opened.link.expectInterleavedInput()
    info = opened.info
    handshake = opened.handshake
    clientHandshake = opened.clientHandshake
    places = opened.places
    self.transport = transport
    http = HTTP2Connection(role: .client, limits: HTTP2Limits(transport.configuration.limits))
    opened.link.report(to: self)
    requestTurn()
  }

  var id: UInt64 { info.id }

  var takesRequests: Bool { machine.takesRequests }

  /// Whether it carries nothing and nothing waits for it.
  var isIdle: Bool { streams.isEmpty && line.isEmpty }

  /// Lets tasks find it here.
  func enter(_ store: any ConnectionStore) {
    onUnused = nil
    guard machine.takesRequests else { return }
    self.store = store
    store.shared.add(self)
    tellOfExtendedConnect()
  }

  /// Whether the origin takes extended CONNECTs (RFC 8441 3); `nil`: its settings have not come.
  var offersExtendedConnect: Bool? { machine.hasSettings ? http.peerSettings.offersExtendedConnect : nil }

  func tellOfExtendedConnect() {
    onUnused?(.settings(offersExtendedConnect: offersExtendedConnect ?? false))
    if machine.hasSettings, http.peerSettings.offersExtendedConnect { store?.originOffersExtendedConnect() }
  }

  // MARK: What an exchange measures

  /// Gives the task what is known of the connection.
  func describe(to task: SessionTask, isFirst: Bool) {
    task.metrics.connection = info
    task.metrics.connection?.isReused = !isFirst
    task.metrics.connection?.begin(on: link)
    task.metrics.handshake = handshake
  }

  /// Records what is known of the connection while it can still be asked.
  func measure(_ task: SessionTask) {
    precondition(task.metrics.connection != nil, "a task is told of its connection first")
    task.metrics.connection?.tcp = info.tcp
    task.metrics.connection?.measure(link)
    info.tcp = task.metrics.connection?.tcp
  }

  // MARK: Output

  /// Has the loop send what there is when this turn's handlers have returned.
  func requestTurn() {
    guard !isAwaitingTurn, link != nil else { return }
    isAwaitingTurn = true
    transport.loop.enqueueLocal(self)
  }

  /// Asks the stream's task for more once nghttp2 has returned.
  func refillLater(_ stream: UpstreamStream) { hungry.append(stream) }

  private func takeTurn() {
    // Events that sending causes have no content.
    let input: [UInt8] = []
    var goesOn = true
    while goesOn, let link, !link.isAboveHighWater {
      goesOn = http.wantsOutput && makeOutput(for: link)
      while let event = http.nextEvent() { handle(event, of: input.span, at: .now) }
      if !hungry.isEmpty {
        let wanting = hungry
        hungry.removeAll(keepingCapacity: true)
        for stream in wanting { stream.refill() }
        goesOn = true
      }
    }
    noteStalls()
    if http.isFinished { finish() }
  }

  /// Returns whether there was any.
  private func makeOutput(for link: Link) -> Bool {
    var hasOutput = false
    link.withOutput { output in
      let start = output.count
      http.nextOutput(into: &output, limit: Self.stride) { [streams] stream, limit in streams[stream]?.pull(limit) ?? .later }
      guard output.count > start else { return }
      hasOutput = true
      sent.append(output.span.extracting(start...))
    }
    return hasOutput
  }

  private func noteStalls() {
    guard let link, !link.isAboveHighWater else { return }
    for stream in streams.values where stream.content.waitingBytes > 0 && http.sendWindow(of: stream.id) == 0 {
      stream.noteSendStall(at: .now)
    }
  }

  // MARK: Ending

  /// Takes no more requests: open streams go on, and the connection ends with the last of them.
  func stopTakingRequests() {
    guard machine.leave() else { return }
    store?.shared.remove(self)
    store?.originGoesAway()
    let waiting = line.takeAll()
    for stream in waiting {
      guard let task = stream.task else { continue }
      stream.leave()
      transport.reconsider(task)
    }
    endIfIdle()
  }

  /// Ends the connection now if it carries nothing, and otherwise with its last stream.
  func retire() {
    store?.shared.remove(self)
    store = nil
    _ = machine.leave()
    endIfIdle()
  }

  func endIfIdle() {
    guard isIdle else { return }
    switch machine.idleAction {
    case .wait:
      waitWhileIdle()
      store?.shared.didIdle(self)
    case .close:
      http.terminate(.noError)
      requestTurn()
    case .nothing:
      break
    }
  }

  private func waitWhileIdle() {
    guard let limit = store?.idleTime else { return }
    idlePatience.wait(limit) { Timer(loop: transport.loop) { [unowned self] in retire() } }
  }

  func stopIdling() {
    idlePatience.stop()
    store?.shared.willUse(self)
  }

  /// nghttp2 has nothing more to read or write.
  private func finish() {
    guard let link = self.link else { return }
    let onUnused = onUnused
    let lacksCertificate = link.lacksCertificate
    detach()
    link.closeAfterFlush()
    end(.closedEarly(in: .receive))
    onUnused?(.ended(.closedEarly(in: .tls), lacksCertificate: lacksCertificate))
  }

  /// Ends the connection at once. Its streams are not told.
  func close() {
    let link = link
    detach()
    link?.close()
  }

  /// From here on the link is nobody's, and tasks do not find the connection.
  private func detach() {
    _ = machine.close()
    link = nil
    idlePatience.end()
    onUnused = nil
    store?.shared.remove(self)
    places.take()?.release(route)
  }

  /// The connection is gone: tells its streams why, and its store that it is gone.
  private func end(_ error: TransportError, lacksCertificate: Bool = false) {
    let carried = streams.values + line.takeAll()
    streams = StreamTable()
    hungry = []
    let store = store.take()
    for stream in carried { stream.connectionDidEnd(error, lacksCertificate: lacksCertificate) }
    store?.sharedConnectionDidEnd()
  }

  private func linkDidEnd(_ error: TransportError) {
    let onUnused = onUnused
    let lacksCertificate = link?.lacksCertificate ?? false
    if link?.inputIsTruncated == true { store?.originDidOmitCloseNotify() }
    close()
    end(error, lacksCertificate: lacksCertificate)
    onUnused?(.ended(error, lacksCertificate: lacksCertificate))
  }

  /// The origin broke a rule that ends the connection; GOAWAY goes out.
  func failAll(_ violation: HTTP2Violation) {
    let isForeign = !machine.hasSettings && route.security == .none
    _ = machine.leave()
    store?.shared.remove(self)
    let carried = streams.values
    streams = StreamTable()
    for stream in carried {
      // An origin that answers a preface by something else does not speak HTTP/2 (RFC 9113 3.3).
      if isForeign {
        store?.shared.noteSingle(route)
        if stream.repeats(offering: .http1) { continue }
      }
      stream.refuse(violation)
    }
    for stream in line.takeAll() { stream.connectionDidEnd(.closedEarly(in: .send)) }
    requestTurn()
  }
}

extension HTTP2UpstreamConnection: EndOfTurnWorker {
  func finishTurn() {
    isAwaitingTurn = false
    takeTurn()
  }
}

extension HTTP2UpstreamConnection: SecureChannelHandler {
  /// The handshake ended before the connection got its link.
  func channelDidSecure(_ parameters: TLSParameters, at instant: MonotonicInstant) {
    preconditionFailure("a link is handed over after its handshake")
  }

  func channelDidReceive(session: TLSSession) {
    transport.keep(session, of: clientHandshake, to: route)
  }

  func channelDidReceive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    guard let arrival = link?.arrival else { return }
    lastRead = arrival.read
    var offset = 0
    var measured = 0
    while link != nil {
      let event = http.receive(bytes, from: &offset, at: instant)
      // The kernel's clock tells when the last bytes came: of several frames, maybe only the last.
      let instant = offset == bytes.count ? instant : arrival.within
      while measured < offset {
        // In step with the events: a head's first byte is noted before the head is told.
        let came = measured == 0 ? arrival.first : instant
        guard let piece = received.next(bytes.extracting(first: offset), from: &measured, at: came) else { break }
        if piece.stream > 0 { streams[piece.stream]?.didReceive(piece) }
      }
      guard let event else { break }
      handle(event, of: bytes, at: instant)
    }
    requestTurn()
  }

  func channelDidReceiveEnd(at instant: MonotonicInstant) {
    linkDidEnd(.closedEarly(in: .receive))
  }

  func channelDidWrite(_ count: Int, at instant: MonotonicInstant) {
    sent.didWrite(count)
    while let progress = sent.next() {
      switch progress {
      case .began(let id, let hasWaited):
        guard let stream = streams[id] else { continue }
        if let free = hasWaited ? instant : drained { stream.task?.metrics.didWait(until: free) }
        stream.didWrite(progress, at: instant)
      case .left(let stream, _, _): streams[stream]?.didWrite(progress, at: instant)
      }
    }
  }

  func channelDidDrain() {
    drained = .now
    requestTurn()
  }

  func channelDidFail(_ error: TransportError) {
    linkDidEnd(error.at(.upstream, .receive))
  }
}
