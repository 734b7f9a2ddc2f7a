internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineSystem
internal import TapelineTLS
internal import TapelineTime

/// What a connection needs until its first exchange is over. It is one object, so that a connection that idles does without.
final class SetUp {
  /// From `queued` to `tlsEnd`.
  var marks = TimelineMarks()
  /// Present while TCP connects.
  var connector: Connector?
  /// The store whose tasks wait to know whether this connection will carry them all.
  var opening: (any ConnectionStore)?
  /// Why the session's evaluator refused the server.
  var evaluationFailure: (any Error)?

  // While prepared:

  /// What the connection has become, because the handshake agreed on HTTP/2.
  var shared: HTTP2UpstreamConnection?
  /// The origin has said in HTTP/2 whether it takes extended CONNECTs.
  var onSettings: ((_ offersExtendedConnect: Bool) -> Void)?
  var onTLSEnd: ((Result<TLSParameters, TransportError>) -> Void)?
  /// The peer has ended the connection before it was used.
  var onPeerEnd: (() -> Void)?
  /// What the stream that opened the connection had read and not used.
  var returnedInput: [UInt8] = []
}

/// Opens a connection: TCP, then TLS if its route asks for it; for a task, or prepared for a later one.
extension UpstreamConnection {
  // MARK: TCP

  func connect(for task: SessionTask) {
    carry(task)
    beginOpening(for: task)
    if let silence = task.timeouts?.request { wait(silence) }
    if let queued = task.metrics.marks[.queued] { setUp?.marks.stamp(.queued, at: queued) }
    var configuration = Connector.Configuration()
    configuration.connectTimeout = connectTimeout
    let connector = Connector(
      loop: loop, resolver: transport.resolver, host: proxy?.host ?? route.host, port: proxy?.port ?? route.port,
      configuration: configuration, admits: admits)
    machine.connect()
    setUp?.connector = connector
    connector.start { [self] result, marks in connected(result, marks) }
  }

  /// We were told to use the upstream proxy; it answers for the names that it looks up.
  private var admits: ((SocketAddress) -> Bool)? {
    guard proxy == nil, let prohibits = transport.configuration.prohibits else { return nil }
    return { [route] address in !prohibits(address, route) }
  }

  private func connected(_ result: consuming Connector.Result, _ marks: TimelineMarks) {
    setUp?.connector = nil
    guard let task else { return }
    setUp?.marks.adopt(.dnsStart ... .connectEnd, from: marks)
    task.metrics.marks.adopt(.dnsStart ... .connectEnd, from: marks)
    switch consume result {
    case .failed(let error):
      self.task = nil
      let isShared = places != nil
      let error = TransportError(error, connectingTo: proxy?.host ?? route.host)
      let waiting = endOpening()
      close()
      if isShared, transport.awaitsDescriptor(task, after: error) {
        for other in waiting { transport.reconsider(other) }
        return
      }
      task.complete(with: blamed(error))
      failWaiting(waiting, error)
    case .connected(let descriptor, peer: let peer, statistics: let statistics):
      places?.didConnect()
      establish(descriptor, peer: peer, statistics, for: task)
    }
  }

  private func establish(
    _ descriptor: consuming FileDescriptor, peer: SocketAddress, _ statistics: TCPStatistics?, for task: SessionTask
  ) {
    let channel = Channel(loop: loop, descriptor: descriptor, peer: peer)
    link = .plain(channel)
    info = ConnectionInfo(
      id: id, peer: peer, local: channel.localAddress, proxy: proxy?.authority,
      tcpAtConnect: statistics ?? channel.tcpStatistics())
    task.metrics.connection = info
    task.metrics.connection?.begin(on: link)
    guard !transport.configuration.refusedPeers.contains(where: { $0.covers(peer) }) else {
      return fail(.loopDetected(peer, isProxy: proxy != nil))
    }
    channel.handler = self
    channel.start()
    channel.probeWhenSilent()
    if proxy != nil, !route.isForwarding {
      requestTunnel()
    } else {
      begin(task, over: channel)
    }
  }

  /// Goes on once bytes reach the origin, or the proxy that forwards: with TLS if the route asks for it.
  func begin(_ task: SessionTask, over channel: Channel) {
    switch route.security {
    case .none:
      wait(nil)
      begin(task, hasWaited: false)
    case .tls(let serverName):
      secure(channel, serverName: serverName)
    }
  }

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

  /// Begins the task's work on a connection that has carried nothing.
  private func begin(_ task: SessionTask, hasWaited: Bool) {
    switch task.work {
    case .exchange(let request) where transport.speaksHTTP2InClear(task, request):
      becomeShared(for: task, isNew: !hasWaited)
    case .exchange(let request):
      begin(request, of: task, hasWaited: hasWaited)
    case .stream:
      beginStream(of: task)
    }
  }

  // MARK: TLS

  private func secure(_ channel: Channel, serverName: String) {
    machine.secure()
    do throws(TLSError) {
      let engine = try makeEngine(serverName: serverName)
      let secure = SecureChannel(channel: channel, engine: engine, buffer: transport.plaintextBuffer)
      link = .secure(secure)
      secure.handler = self
      wait(connectTimeout)
      secure.start()
    } catch {
      // The error is ours, and comes from the loop like every other failure.
      loop.enqueueLocal { [self] in
        if machine.isSecuring { handshakeDidFail(TransportError(error)) }
      }
    }
  }

  private func makeEngine(serverName: String) throws(TLSError) -> TLSEngine {
    let configuration = transport.configuration
    guard let context = configuration.tls else {
      throw configuration.tlsFailure ?? TLSError(.configuration, "there is no TLS here")
    }
    let evaluator: PeerEvaluator?
    do {
      evaluator = try configuration.peerEvaluator?(serverName)
    } catch {
      setUp?.evaluationFailure = error
      throw TLSError(.configuration, "nobody may judge \(serverName): \(error)")
    }
    return try TLSEngine(
      client: context, serverName: serverName, session: sessionToResume,
      credentials: configuration.clientCredentials?(serverName),
      evaluator: evaluator, applicationProtocols: offeredProtocols, manner: clientHandshake?.manner)
  }

  /// On a client's connection, the session that the client would resume itself; otherwise the newest of the route.
  private var sessionToResume: TLSSession? {
    guard let clientHandshake else { return transport.sessions.take(for: route) }
    return transport.configuration.lineages.session(for: clientHandshake, to: route)
  }

  func handshakeDidEnd(_ parameters: TLSParameters, at instant: MonotonicInstant) {
    handshake = .agreed(parameters)
    noteHandshake(endedAt: instant)
    if let clientHandshake, parameters.version < .tls13 {
      transport.configuration.lineages.passOn(of: clientHandshake, to: route)
    }
    wait(nil)
    let speaksHTTP2 = parameters.applicationProtocol == .http2
    if let task, speaksHTTP2 {
      becomeShared(for: task, isNew: true)
    } else if let task {
      let waiting = endOpening(isSingle: true)
      begin(task, hasWaited: false)
      for other in waiting { transport.reconsider(other) }
    } else {
      machine.prepare()
      if speaksHTTP2 { prepareShared() }
      wait(transport.configuration.idleTimeout)
      setUp?.onTLSEnd.take()?(.success(parameters))
    }
  }

  func handshakeDidFail(_ error: TransportError) {
    if let link, let failure = link.failure {
      handshake = .failed(failure)
      setUp?.evaluationFailure = link.evaluationFailure
    }
    noteHandshake(endedAt: nil)
    if let task {
      if let offer = betterOffer(for: task) { return startOver(task, offering: offer) }
      task.evaluationFailure = setUp?.evaluationFailure
      return fail(error)
    }
    let error = link?.lacksCertificate == true ? error.afterMissingCertificate : error
    info?.tcp = link?.tcpStatistics()
    close()
    // The first task is told.
    machine.refuse(error)
    setUp?.onTLSEnd.take()?(.failure(error))
  }

  private func noteHandshake(endedAt instant: MonotonicInstant?) {
    guard let link, case .secure(let secure) = link else { return }
    if let began = secure.handshakeBegan { setUp?.marks.stamp(.tlsStart, at: began) }
    if let instant {
      setUp?.marks.stamp(.tlsEnd, at: instant)
      // The write of our hello may have returned late.
      setUp?.marks.bound(.tlsStart, by: instant)
    }
    guard let task else { return }
    task.metrics.handshake = handshake
    if let marks = setUp?.marks { task.metrics.marks.adopt(.tlsStart ... .tlsEnd, from: marks) }
  }

  // MARK: Prepared

  /// Takes the connection from a stream task that has not used it. No callback is made inside this call: the task completes
  /// later.
  func detach(_ task: SessionTask) -> DetachedStream? {
    guard machine.streamIsUntouched, self.task === task, let link, link.bufferedBytes == 0 else { return nil }
    guard task.metrics.bytesSent == 0, task.metrics.bytesReceived == UInt64(task.returnedInput.count) else { return nil }
    setUp?.returnedInput = task.returnedInput
    measure()
    self.task = nil
    task.carrier = nil
    machine.prepare()
    link.resumeReading()
    wait(transport.configuration.idleTimeout)
    loop.enqueueLocal { task.complete(with: nil) }
    return DetachedStream(connection: PreparedConnection(self), metrics: task.metrics)
  }

  /// Whether a task can still have the connection, or the reason why it cannot be used.
  var isPrepared: Bool {
    task == nil && machine.awaitsFirstTask
  }

  func secureEarly(serverName: String, following handshake: ClientHandshake?) {
    guard machine.isPrepared, let link, case .plain(let channel) = link else { return }
    clientHandshake = handshake
    route = route.secured(serverName: serverName)
    secure(channel, serverName: serverName)
  }

  func abandonPrepared() {
    guard isPrepared else { return }
    setUp?.onTLSEnd = nil
    setUp?.onPeerEnd = nil
    setUp?.onSettings = nil
    close()
  }

  /// Carries the first task of a prepared connection.
  func beginPrepared(_ task: SessionTask) {
    precondition(route.leadsTo(task.route), "a prepared connection is used for where it leads")
    carry(task)
    setUp?.onTLSEnd = nil
    setUp?.onPeerEnd = nil
    setUp?.onSettings = nil
    if let marks = setUp?.marks { task.metrics.marks.adopt(.queued ... .tlsEnd, from: marks) }
    switch machine.use() {
    case .begin:
      wait(nil)
      if let connection = setUp?.shared.take() { return begin(task, on: connection, isNew: false) }
      if route == task.route { return begin(task, hasWaited: true) }
      guard let link, case .plain(let channel) = link, case .tls(let serverName) = task.route.security else {
        preconditionFailure("a route that was in clear, and is another, has TLS")
      }
      route = task.route
      beginOpening(for: task)
      secure(channel, serverName: serverName)
    case .awaitHandshake:
      beginOpening(for: task)
      wait(connectTimeout)
    case .fail(let error):
      if let offer = betterOffer(for: task) { return startOver(task, offering: offer) }
      self.task = nil
      task.evaluationFailure = setUp?.evaluationFailure
      task.complete(with: error)
    }
  }
}
