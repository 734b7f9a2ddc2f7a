internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime

/// A connection on its way to its first task: TCP, a tunnel through the upstream proxy, TLS; for a task, or ahead of one.
/// Loop-bound.
///
/// It ends when its `OpenedConnection` goes to an `UpstreamConnection` or an `HTTP2UpstreamConnection`. Kept alive by the task,
/// the link, or whoever has it prepared. Its machine holds its state; its extensions act on it: TCP (`+TCP`), the tunnel
/// (`+Tunnel`), TLS (`+TLS`), the time before a first task (`+Prepared`), and the tasks that wait for it (`+Sharing`).
final class UpstreamOpening: TaskCarrier {
  let id: UInt64
  /// Final once a task or a handshake has begun on the connection.
  var route: Route
  let leadsToProxy: Bool
  let transport: NetworkTransport
  /// Its current state. Only its events change it; the opening acts on their results.
  var machine: StateMachine
  /// From `queued` to `tlsEnd`.
  var marks = TimelineMarks()
  /// Present while TCP connects.
  var connector: Connector?
  var link: Link?
  var task: SessionTask?
  /// The store where the connection will idle between the task's exchanges.
  var store: (any ConnectionStore)?
  /// The store whose tasks wait to know whether this connection will carry them all.
  var awaited: (any ConnectionStore)?
  /// The places of which it has one, until somebody carries with it.
  var places: ConnectionPlaces?
  /// The handshake of the client whose connection this one is paired with, if that client speaks TLS with us.
  var clientHandshake: ClientHandshake?
  /// The protocols to offer by ALPN, if they are decided ahead of any task.
  var earlyOffer: [ApplicationProtocol]?
  /// The protocols that we offered by ALPN.
  var offered: [ApplicationProtocol]?
  var handshake: HandshakeOutcome?
  /// Why the session's evaluator refused the server.
  var evaluationFailure: (any Error)?
  /// Reads the answer to a CONNECT.
  var http: HTTP1Connection
  /// The conversation with a proxy that speaks SOCKS.
  var socks: SOCKSHandshake?
  var info: ConnectionInfo?
  /// The connection, ahead of any task, if the handshake agreed on HTTP/2.
  var shared: HTTP2UpstreamConnection?
  /// Bytes that the stream that opened the connection had read and not used.
  var returnedInput: [UInt8] = []
  /// Is told, ahead of the first task, what becomes of the connection.
  var onEvent: ((PreparedConnection.Event) -> Void)?
  /// The origin has ended the connection because it speaks HTTP/2 alone, it seems.
  var refusedHTTP1 = false
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

  /// Takes back a connection that its first task gave up before it moved a byte.
  ///
  /// - Parameter marks: how it was opened.
  init(of opened: OpenedConnection, _ marks: TimelineMarks, returning input: [UInt8], transport: NetworkTransport) {
    machine = .prepared()
    id = opened.info.id
    route = opened.route
    leadsToProxy = opened.leadsToProxy
    self.transport = transport
    self.marks.adopt(.queued ... .tlsEnd, from: marks)
    link = opened.link
    places = opened.places
    clientHandshake = opened.clientHandshake
    offered = opened.offered
    handshake = opened.handshake
    http = HTTP1Connection(role: .client, limits: transport.configuration.limits)
    info = opened.info
    returnedInput = input
    opened.link.report(to: self)
    opened.link.resumeReading()
    wait(transport.configuration.idleTimeout)
  }

  var loop: EventLoop { transport.loop }

  /// The upstream proxy that the connection leads to.
  var proxy: UpstreamProxy? { leadsToProxy ? transport.configuration.upstreamProxy : nil }

  var reached: TransportError.Phase { machine.reached }

  /// The task gets the connection, and is told what is known of it.
  func carry(_ task: SessionTask) {
    self.task = task
    task.carrier = self
    if case .exchange(let request) = task.work {
      store = transport.store(of: request)
      if clientHandshake == nil { clientHandshake = request.connections?.handshake }
    }
    task.metrics.connection = info
    task.metrics.connection?.begin(on: link)
    task.metrics.handshake = handshake
  }

  // MARK: Standing

  /// The connection stands: the task's work begins on it, in HTTP/1 or as a stream, or in HTTP/2 in clear.
  ///
  /// - Returns: the connection, if it carries this task alone.
  @discardableResult
  func stand(for task: SessionTask, hasWaited: Bool) -> UpstreamConnection? {
    if case .exchange(let request) = task.work, transport.speaksHTTP2InClear(task, request) {
      becomeShared(for: task, isNew: !hasWaited)
      return nil
    }
    guard let opened = handOver() else { return nil }
    let store = store
    let waiting = endAwaiting(isSingle: handshake == nil ? nil : true)
    end()
    let connection = UpstreamConnection(opened, transport: transport, store: store)
    connection.beginFirst(task, hasWaited: hasWaited)
    for other in waiting { transport.reconsider(other) }
    return connection
  }

  /// Gives the link away. From here on this object is done, but for its task.
  func handOver() -> OpenedConnection? {
    guard let link, let info else { return nil }
    self.link = nil
    return OpenedConnection(
      route: route, leadsToProxy: leadsToProxy, link: link, info: info, handshake: handshake, offered: offered,
      clientHandshake: clientHandshake, places: places.take())
  }

  // MARK: Ending

  func cancel(_ task: SessionTask) {
    measure()
    let waiting = endAwaiting()
    end()
    task.complete(with: .cancelled)
    for other in waiting { transport.reconsider(other) }
  }

  /// Ends the opening, and the connection if nobody has it. Its task is not told: see `fail` and `cancel`.
  func end() {
    machine.end()
    task = nil
    store = nil
    connector.take()?.cancel()
    patience.end()
    link.take()?.close()
    shared.take()?.close()
    places.take()?.release(route)
  }

  func fail(_ error: TransportError) {
    guard let task else { return end() }
    let error = link?.lacksCertificate == true ? error.afterMissingCertificate : error
    measure()
    let waiting = endAwaiting()
    end()
    task.complete(with: blamed(error))
    failWaiting(waiting, error)
  }

  func blamed(_ error: TransportError) -> TransportError { error.blamed(on: proxy, of: route) }

  /// Records what is known of the connection while it can still be asked.
  func measure() {
    guard let task, let link else { return }
    if task.metrics.connection == nil { task.metrics.connection = info }
    task.metrics.connection?.measure(link)
    info?.tcp = task.metrics.connection?.tcp
  }

  // MARK: Patience

  /// Waits at most this long for the next sign of life.
  func wait(_ limit: Duration?) {
    patience.wait(limit, from: .now) { Timer(loop: loop) { [unowned self] in runOutOfPatience() } }
  }

  /// For connecting, and once more for a tunnel and for TLS: the shorter of the transport's and the task's limits.
  var connectTimeout: Duration? {
    [transport.configuration.connectTimeout, task?.timeouts?.request].compactMap(\.self).min()
  }

  private func runOutOfPatience() {
    switch machine.timeoutAction {
    case .failHandshake: handshakeDidFail(.timedOut(in: .tls, limit: .connecting))
    case .failConnecting: fail(.timedOut(in: .connect, of: proxy == nil ? .origin : .proxy, limit: .connecting))
    case .failTunnel: fail(.tunnelTimedOut)
    case .close: end()
    }
  }
}

extension UpstreamOpening: SecureChannelHandler {
  func channelDidSecure(_ parameters: TLSParameters, at instant: MonotonicInstant) {
    handshakeDidEnd(parameters, at: instant)
  }

  func channelDidReceive(session: TLSSession) {
    transport.keep(session, of: clientHandshake, to: route)
  }

  func channelDidReceive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    switch machine.inputAction {
    case .tunnelResponse where socks != nil: receiveSOCKS(bytes, at: instant)
    case .tunnelResponse: receiveTunnelResponse(bytes, at: instant)
    case .endPrepared: endPrepared(nil)
    }
  }

  func channelDidReceiveEnd(at instant: MonotonicInstant) {
    if link?.inputIsTruncated == true { store?.originDidOmitCloseNotify() }
    switch machine.inputEndAction {
    case .requestTunnelElsewhere: requestTunnelElsewhere()
    case .failTunnel: fail(.tunnelClosedEarly)
    case .endPrepared: endPrepared(.closedEarly(in: .tls))
    }
  }

  /// Bytes of a CONNECT are for the upstream proxy, and those of a handshake nobody's: they are not counted.
  func channelDidWrite(_ count: Int, at instant: MonotonicInstant) {}

  func channelDidDrain() {}

  func channelDidFail(_ error: TransportError) {
    switch machine.failAction {
    case .fail: fail(error.at(.upstream, machine.reached))
    case .failHandshake: handshakeDidFail(error.at(.upstream, .tls))
    case .endPrepared: endPrepared(error.at(.upstream, .tls))
    case .close: end()
    }
  }
}
