internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime

/// One connection to an origin, with or without TLS: carries one task at a time, an exchange or a raw stream. Loop-bound.
///
/// Kept alive by the task it carries, by its channel or, while idle, by the pool. Its machine holds its state; its extensions act
/// on it: opening (`+Opening`, `+Tunnel`), the exchange (`+Exchange`, `+Decision`), the stream (`+Stream`), the link's events
/// (`+Link`).
final class UpstreamConnection: TaskCarrier {
  let id: UInt64
  /// Final once a task or a handshake has begun on the connection.
  var route: Route
  let leadsToProxy: Bool
  let transport: NetworkTransport
  /// Its current state. Only its events change it; the connection acts on their results.
  var machine: StateMachine
  var link: Link?
  var task: SessionTask?
  /// The store where it idles between exchanges. Held only while there is a task or the connection idles.
  var store: (any ConnectionStore)?
  /// The places of which it has one, until it ends.
  var places: ConnectionPlaces?
  /// The handshake of the client whose connection this one is paired with, if that client speaks TLS with us.
  var clientHandshake: ClientHandshake?
  /// Where ALPN agrees on HTTP/2, an `HTTP2UpstreamConnection` takes over.
  var http: HTTP1Connection
  /// The version in which the server last answered on this connection.
  var peerVersion: HTTPVersion?
  var info: ConnectionInfo?
  /// Until the first exchange is over.
  var setUp: SetUp? = SetUp()
  var handshake: HandshakeOutcome?
  /// The origin has ended the connection because it speaks HTTP/2 alone, it seems.
  private(set) var refusedHTTP1 = false
  /// Bytes of the exchange before this one that the kernel has not taken yet.
  var earlierOutput = 0
  private var patience = Patience()

  /// - Parameter tunnelAttempts: CONNECTs that were sent for the same tunnel on earlier connections.
  init(route: Route, throughProxy leadsToProxy: Bool, transport: NetworkTransport, tunnelAttempts: Int = 0) {
    machine = StateMachine(tunnelAttempts: tunnelAttempts)
    id = ConnectionID.next()
    self.route = route
    self.leadsToProxy = leadsToProxy
    self.transport = transport
    http = HTTP1Connection(role: .client, limits: transport.configuration.limits)
  }

  var loop: EventLoop { transport.loop }

  /// The upstream proxy that the connection leads to.
  var proxy: UpstreamProxy? { leadsToProxy ? transport.configuration.upstreamProxy : nil }

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
    let waiting = endOpening()
    close()
    task.complete(with: .cancelled)
    for other in waiting { transport.reconsider(other) }
  }

  // MARK: Ending

  /// Ends the connection. A task it carries is not told: see `fail` and `cancel`.
  func close() {
    machine.close()
    setUp?.connector.take()?.cancel()
    patience.end()
    link?.close()
    link = nil
    setUp?.shared.take()?.close()
    store = nil
    places.take()?.release(route)
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
    let waiting = endOpening()
    close()
    if retries {
      transport.restart(task)
      for other in waiting { transport.reconsider(other) }
    } else {
      task.complete(with: blamed(error))
      failWaiting(waiting, error)
    }
  }

  /// Whether the origin waits for a certificate before it says anything.
  private var lacksCertificate: Bool {
    link?.lacksCertificate == true && machine.exchange?.responseBegan != true
  }

  /// Names the hop that has failed: every failure with a proxy that forwards is the proxy's, and so is every failure before a
  /// tunnel is open.
  func blamed(_ error: TransportError) -> TransportError {
    guard let proxy, error.origin == .upstream else { return error }
    let comesBeforeOrigin =
      switch error.phase {
      case .setUp, .dns, .connect: true
      case .tls, .send, .wait, .receive: route.isForwarding
      }
    guard comesBeforeOrigin else { return error }
    return TransportError(
      origin: .proxy, phase: error.phase, kind: error.kind, message: "upstream proxy \(proxy.authority): \(error.message)",
      limit: error.limit)
  }

  /// The phase that an error now belongs to.
  var reached: TransportError.Phase {
    // What waits in our queue has not been sent.
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
    info?.tcp = task.metrics.connection?.tcp
    if let headBegan = machine.exchange?.headBegan { task.metrics.marks.stamp(.responseFirstByte, at: headBegan) }
  }

  // MARK: Patience

  /// Waits at most this long for the next sign of life; `nil` when it is not the origin's turn.
  func wait(_ limit: Duration?, from now: MonotonicInstant? = nil) {
    patience.wait(limit, from: now ?? .now) { Timer(loop: loop) { [unowned self] in runOutOfPatience() } }
  }

  /// For connecting, and once more for a tunnel and for TLS: the shorter of the transport's and the task's limits.
  var connectTimeout: Duration? {
    [transport.configuration.connectTimeout, task?.timeouts?.request].compactMap(\.self).min()
  }

  var responseTimeout: Duration? {
    task?.timeouts?.request ?? transport.configuration.responseTimeout
  }

  var idleTimeout: Duration? {
    task?.timeouts?.request ?? transport.configuration.idleTimeout
  }

  private func runOutOfPatience() {
    switch machine.timeoutAction {
    case .failHandshake: handshakeDidFail(.timedOut(in: .tls, limit: .connecting))
    case .failConnecting: fail(.timedOut(in: .connect, of: proxy == nil ? .origin : .proxy, limit: .connecting))
    case .failTunnel: fail(.tunnelTimedOut)
    case .endDraining: endDraining()
    case .failForResponse: fail(.timedOut(in: .wait, of: peer, limit: .response))
    case .failForSilence(in: let phase): fail(.timedOut(in: phase, of: peer, limit: .silence))
    }
  }
}

extension UpstreamConnection: SecureChannelHandler {
  func channelDidSecure(_ parameters: TLSParameters, at instant: MonotonicInstant) {
    handshakeDidEnd(parameters, at: instant)
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
    case .tunnelResponse:
      receiveTunnelResponse(bytes, at: instant)
    case .noteExcess:
      machine.note { $0.receiveExcess() }
    case .leaveStore:
      leaveStore()
    case .endPrepared:
      endPrepared(nil)
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
    case .requestTunnelElsewhere:
      requestTunnelElsewhere()
    case .failTunnel:
      fail(.tunnelClosedEarly)
    case .tell:
      task?.didReceiveEnd()
      endStreamIfComplete()
    case .leaveStore:
      leaveStore()
    case .endPrepared:
      endPrepared(.closedEarly(in: .tls))
    }
  }

  func channelDidWrite(_ count: Int, at instant: MonotonicInstant) {
    let action = machine.outputAction
    let earlier = min(count, earlierOutput)
    earlierOutput -= earlier
    guard action != .uncounted, count > earlier, let task, let link else { return }
    task.metrics.bytesSent += UInt64(count - earlier)
    task.metrics.marks.stamp(.sentFirst, at: instant)
    switch action {
    case .exchange(let requestEnded):
      task.metrics.marks.move(.sentLast, to: instant)
      if requestEnded { endIfSent() } else { wait(link.bufferedBytes > 0 ? idleTimeout : nil) }
    case .stream:
      // The peer of a stream does not wait for an end of sending: the first bytes count as the request.
      task.metrics.marks.stamp(.sentLast, at: instant)
    case .nothing, .uncounted:
      break
    }
  }

  func channelDidDrain() {
    switch machine.outputAction {
    case .exchange: pumpBody()
    case .stream: task?.canSendMore()
    case .nothing, .uncounted: break
    }
  }

  func channelDidFail(_ error: TransportError) {
    switch machine.failAction {
    case .fail: fail(error.at(.upstream, reached))
    case .failHandshake: handshakeDidFail(error.at(.upstream, .tls))
    case .endDraining: endDraining()
    case .leaveStore: leaveStore()
    case .endPrepared: endPrepared(error.at(.upstream, .tls))
    case .close: close()
    }
  }

  /// The peer ends the connection, or breaks its framing, while no request is in flight.
  private func leaveStore() {
    let store = store
    close()
    store?.peerDidEnd(self)
  }

  /// - Parameters:
  ///   - error: how the connection ended; `nil`: the origin spoke before it was asked.
  ///   - lacksCertificate: whether the origin had asked for a certificate, and got none.
  func endPrepared(_ error: TransportError?, lacksCertificate: Bool? = nil) {
    let error = lacksCertificate ?? self.lacksCertificate ? error?.afterMissingCertificate : error
    close()
    // An alert is not the end that a client may expect of a connection without a request: its first request is told.
    if let error, error.demandsCertificate || error.brokeTLS { return machine.refuse(error) }
    let onPeerEnd = setUp?.onPeerEnd.take()
    // The client's request goes out on a connection with a better offer.
    refusedHTTP1 = noteRefusalOfHTTP1()
    if !refusedHTTP1 { onPeerEnd?() }
  }
}
