internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime

/// One connection to an origin that stands, with or without TLS: carries one task at a time, an exchange in HTTP/1 or a raw
/// stream. Loop-bound.
///
/// An `UpstreamOpening` opens it. Kept alive by the task it carries, by its channel or, while idle, by the pool. Its machine
/// holds its state; its extensions act on it: the exchange (`+Exchange`, `+Decision`), what a proxy that forwards is told
/// (`+Forwarding`), the stream (`+Stream`).
final class UpstreamConnection: TaskCarrier {
  let route: Route
  let leadsToProxy: Bool
  let transport: NetworkTransport
  /// Its current state. Only its events change it; the connection acts on their results.
  var machine = StateMachine()
  private(set) var link: Link?
  var task: SessionTask?
  /// The store where it idles between exchanges. Held only while there is a task or the connection idles.
  private(set) var store: (any ConnectionStore)?
  /// The places of which it has one, until it ends.
  private var places: ConnectionPlaces?
  /// The handshake of the client whose connection this one is paired with, if that client speaks TLS with us.
  private let clientHandshake: ClientHandshake?
  private let handshake: HandshakeOutcome?
  /// The protocols that we offered by ALPN.
  private let offered: [ApplicationProtocol]?
  var http: HTTP1Connection
  /// The version in which the server last answered on this connection.
  var peerVersion: HTTPVersion?
  private var info: ConnectionInfo
  /// Bytes of the exchange before this one that the kernel has not taken yet.
  private var earlierOutput = 0
  private var patience = Patience()

  /// - Parameter store: where the connection idles between the exchanges of its first task.
  init(_ opened: OpenedConnection, transport: NetworkTransport, store: (any ConnectionStore)?) {
    route = opened.route
    leadsToProxy = opened.leadsToProxy
    self.transport = transport
    link = opened.link
    self.store = store
    places = opened.places
    clientHandshake = opened.clientHandshake
    handshake = opened.handshake
    offered = opened.offered
    http = HTTP1Connection(role: .client, limits: transport.configuration.limits)
    info = opened.info
    opened.link.report(to: self)
  }

  var id: UInt64 { info.id }

  var loop: EventLoop { transport.loop }

  /// The upstream proxy that the connection leads to.
  var proxy: UpstreamProxy? { leadsToProxy ? transport.configuration.upstreamProxy : nil }

  // MARK: Tasks

  /// Begins the work of the task for which the connection was opened. The task knows of the connection already.
  func beginFirst(_ task: SessionTask, hasWaited: Bool) {
    self.task = task
    task.carrier = self
    switch task.work {
    case .exchange(let request): begin(request, of: task, hasWaited: hasWaited)
    case .stream: beginStream(of: task)
    }
  }

  /// Carries another task on this idle connection.
  func begin(_ task: SessionTask) {
    guard case .exchange(let request) = task.work else {
      preconditionFailure("a stream was put on a connection that has carried exchanges")
    }
    info.isReused = true
    earlierOutput = link?.bufferedBytes ?? 0
    self.task = task
    task.carrier = self
    store = transport.store(of: request)
    task.metrics.connection = info
    task.metrics.connection?.begin(on: link)
    task.metrics.handshake = handshake
    begin(request, of: task, hasWaited: true)
  }

  // MARK: The task's commands

  func resumeReceiving() {
    // Bytes after a head wait for the decision.
    guard !machine.isDeciding else { return }
    link?.resumeReading()
    if machine.activeExchange?.headEnded == true { wait(idleTimeout) }
  }

  /// HTTP/1 has no priorities.
  func updatePriority(_ fieldValue: String) {}

  func cancel(_ task: SessionTask) {
    measure()
    self.task = nil
    close()
    task.complete(with: .cancelled)
  }

  // MARK: Ending

  /// Ends the connection. A task it carries is not told: see `fail` and `cancel`.
  func close() {
    machine.close()
    patience.end()
    link?.close()
    link = nil
    store = nil
    places.take()?.release(route)
  }

  /// Both directions of the stream have ended.
  func closeAfterFlush() {
    machine.close()
    link?.closeAfterFlush()
    places.take()?.release(route)
  }

  /// The connection has carried nothing after all. From here on this object is done.
  func handBack() -> OpenedConnection? {
    guard let link else { return nil }
    self.link = nil
    let places = places.take()
    close()
    return OpenedConnection(
      route: route, leadsToProxy: leadsToProxy, link: link, info: info, handshake: handshake, offered: offered,
      clientHandshake: clientHandshake, places: places)
  }

  func fail(_ error: TransportError) {
    guard let task else { return close() }
    if let offer = betterOffer(for: task, after: error) { return startOver(task, offering: offer) }
    let error = lacksCertificate ? error.afterMissingCertificate : error
    measure()
    let retries = !error.demandsCertificate && machine.exchange?.allowsRetry(attempts: task.exchangeAttempts) ?? false
    if machine.exchange?.endsForClient == true { task.noteLossOfReusedConnection() }
    if machine.exchange?.headEnded == false { task.unreadHead = http.unreadHead }
    self.task = nil
    close()
    if retries {
      transport.restart(task)
    } else {
      task.complete(with: error.blamed(on: proxy, of: route))
    }
  }

  /// The offer to make instead, if the first request was lost because the origin does not speak HTTP/1.
  private func betterOffer(for task: SessionTask, after error: TransportError) -> ProtocolOffer? {
    // An origin that closes ahead of reading the request resets the connection.
    guard error.kind == .closed || error.kind == .reset, !info.isReused, task.offer == .usual,
      case .exchange(let request) = task.work, !request.needsHTTP1, let exchange = machine.exchange, !exchange.responseBegan,
      transport.noteRefusalOfHTTP1(to: route, offered: offered, handshake)
    else { return nil }
    return exchange.isRepeatable ? .http2 : nil
  }

  /// The task tries once more, on a connection with another offer.
  private func startOver(_ task: SessionTask, offering offer: ProtocolOffer) {
    measure()
    self.task = nil
    close()
    task.offer = offer
    transport.restart(task)
  }

  /// Whether the origin waits for a certificate before it says anything.
  private var lacksCertificate: Bool {
    link?.lacksCertificate == true && machine.exchange?.responseBegan != true
  }

  /// The phase that an error now belongs to.
  var reached: TransportError.Phase {
    // Bytes that wait in our queue have not been sent.
    if machine.reached == .wait, let link, link.bufferedBytes > 0 { return .send }
    return machine.reached
  }

  /// The other end of an exchange on this connection.
  var peer: TransportError.Peer { route.isForwarding ? .proxy : .origin }

  /// Records what is known of the connection while it can still be asked.
  func measure() {
    guard let task, let link else { return }
    // In place: a copy would count the references of all that it has.
    if task.metrics.connection == nil { task.metrics.connection = info }
    task.metrics.connection?.measure(link)
    info.tcp = task.metrics.connection?.tcp
    if let headBegan = machine.exchange?.headBegan { task.metrics.marks.stamp(.responseFirstByte, at: headBegan) }
  }

  // MARK: Patience

  /// Waits at most this long for the next sign of life; `nil` when it is not the origin's turn.
  func wait(_ limit: Duration?, from now: MonotonicInstant? = nil) {
    patience.wait(limit, from: now ?? .now) { Timer(loop: loop) { [unowned self] in runOutOfPatience() } }
  }

  var responseTimeout: Duration? {
    task?.timeouts?.request ?? transport.configuration.responseTimeout
  }

  var idleTimeout: Duration? {
    task?.timeouts?.request ?? transport.configuration.idleTimeout
  }

  private func runOutOfPatience() {
    switch machine.timeoutAction {
    case .endDraining: endDraining()
    case .failForResponse: fail(.timedOut(in: .wait, of: peer, limit: .response))
    case .failForSilence(in: let phase): fail(.timedOut(in: phase, of: peer, limit: .silence))
    }
  }
}

extension UpstreamConnection: SecureChannelHandler {
  /// The handshake ended before the connection got its link.
  func channelDidSecure(_ parameters: TLSParameters, at instant: MonotonicInstant) {
    preconditionFailure("a link is handed over after its handshake")
  }

  func channelDidReceive(session: TLSSession) {
    transport.keep(session, of: clientHandshake, to: route)
  }

  func channelDidReceive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    switch machine.inputAction {
    case .exchange:
      receive(bytes, at: instant)
    case .stream:
      receiveStream(bytes, at: instant)
    case .hold(let held):
      guard let task else { return }
      task.metrics.bytesReceived += UInt64(bytes.count)
      task.metrics.marks.move(.responseLastByte, to: instant)
      held.append(bytes)
    case .drain(let left):
      drain(bytes, atMost: left, at: instant)
    case .noteExcess:
      machine.note { $0.receiveExcess() }
    case .leaveStore:
      leaveStore()
    }
  }

  func channelDidReceiveEnd(at instant: MonotonicInstant) {
    if link?.inputIsTruncated == true { store?.originDidOmitCloseNotify() }
    switch machine.inputDidEnd() {
    case .endExchange:
      endExchangeAtClose()
    case .wait:
      break
    case .endDraining:
      endDraining()
    case .tell:
      task?.didReceiveEnd()
      endStreamIfComplete()
    case .leaveStore:
      leaveStore()
    }
  }

  func channelDidWrite(_ count: Int, at instant: MonotonicInstant) {
    let action = machine.outputAction
    let earlier = min(count, earlierOutput)
    earlierOutput -= earlier
    guard count > earlier, let task, let link else { return }
    task.metrics.bytesSent += UInt64(count - earlier)
    task.metrics.marks.stamp(.sentFirst, at: instant)
    switch action {
    case .exchange(let requestEnded):
      task.metrics.marks.move(.sentLast, to: instant)
      if requestEnded { endIfSent() } else { wait(link.bufferedBytes > 0 ? idleTimeout : nil) }
    case .stream:
      // The peer of a stream does not wait for an end of sending: the first bytes count as the request.
      task.metrics.marks.stamp(.sentLast, at: instant)
    case .nothing:
      break
    }
  }

  func channelDidDrain() {
    switch machine.outputAction {
    case .exchange: pumpBody()
    case .stream: task?.canSendMore()
    case .nothing: break
    }
  }

  func channelDidFail(_ error: TransportError) {
    switch machine.failAction {
    case .fail: fail(error.at(.upstream, reached))
    case .endDraining: endDraining()
    case .leaveStore: leaveStore()
    case .close: close()
    }
  }

  /// The exchange is over and has its copy of what the kernel told.
  func forgetExchange() { info.tcp = nil }

  /// The peer ends the connection, or breaks its framing, while no request is in flight.
  private func leaveStore() {
    let store = store
    close()
    store?.peerDidEnd(self)
  }
}
