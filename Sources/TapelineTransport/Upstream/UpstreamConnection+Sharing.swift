internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime

/// A connection that may turn out to speak HTTP/2: what it offers, who waits for it, and what it becomes then.
extension UpstreamConnection {
  // MARK: The offer

  /// What ALPN offers; `nil`: what the context says, HTTP/1.1.
  var offeredProtocols: [ApplicationProtocol]? {
    guard transport.configuration.speaksHTTP2 else { return clientHandshake?.applicationProtocols }
    guard let task, case .exchange(let request) = task.work else { return clientHandshake?.applicationProtocols }
    switch task.offer {
    case .http1: return [.http11]
    case .http2: return [.http2, .http11]
    case .usual where transport.http2Routes.contains(route) && !request.needsHTTP1: return [.http2, .http11]
    case .usual: break
    }
    let isSpoken = request.sender == .ourselves || request.http2 != nil
    let usual = clientHandshake?.applicationProtocols ?? (isSpoken ? [.http2, .http11] : [.http11])
    // HTTP/2 has no upgrade (RFC 9113 8.6).
    return request.needsHTTP1 ? usual.filter { $0 != .http2 } : usual
  }

  private var offersHTTP2: Bool { offeredProtocols?.contains(.http2) ?? false }

  /// The offer to make instead, if the origin has refused ours because the other protocol was not in it (RFC 7301 3.2).
  func betterOffer(for task: SessionTask) -> ProtocolOffer? {
    guard transport.configuration.speaksHTTP2, task.offer == .usual, case .exchange(let request) = task.work,
      handshake?.failure?.kind == .peerAlert(.noApplicationProtocol)
    else { return nil }
    if !offersHTTP2 { return request.needsHTTP1 ? nil : .http2 }
    return offeredProtocols?.contains(.http11) == true ? nil : .http1
  }

  /// The offer to make instead, if the first request was lost because the origin does not speak HTTP/1.
  func betterOffer(for task: SessionTask, after error: TransportError) -> ProtocolOffer? {
    // An origin that closes ahead of reading the request resets the connection.
    guard error.kind == .closed || error.kind == .reset, info?.isReused == false, task.offer == .usual,
      case .exchange(let request) = task.work, !request.needsHTTP1, let exchange = machine.exchange, !exchange.responseBegan,
      noteRefusalOfHTTP1()
    else { return nil }
    return exchange.isRepeatable ? .http2 : nil
  }

  /// Some servers that speak HTTP/2 alone do not refuse an offer without it: they choose no protocol, and end the connection.
  /// Answers whether this one did.
  func noteRefusalOfHTTP1() -> Bool {
    guard transport.configuration.speaksHTTP2, let offered = offeredProtocols, offered == [.http11],
      let parameters = handshake?.parameters, parameters.applicationProtocol == nil
    else { return false }
    transport.noteHTTP2Route(route)
    return true
  }

  /// The task tries once more, on a connection with another offer.
  func startOver(_ task: SessionTask, offering offer: ProtocolOffer) {
    measure()
    self.task = nil
    let waiting = endOpening()
    close()
    task.offer = offer
    transport.restart(task)
    for other in waiting { transport.reconsider(other) }
  }

  // MARK: Those who wait

  /// From here on the other tasks of the store wait to know whether this connection will carry them.
  func beginOpening(for task: SessionTask) {
    guard let setUp, setUp.opening == nil, let store, case .exchange(let request) = task.work,
      transport.sharesConnection(task, request)
    else {
      return
    }
    guard route.security == .none || offersHTTP2, store.shared.beginOpening(request.route) else { return }
    setUp.opening = store
  }

  /// Answers the tasks that have waited.
  ///
  /// - Parameter isSingle: the origin has chosen HTTP/1.1; `nil` if it chose nothing.
  func endOpening(isSingle: Bool? = nil) -> [SessionTask] {
    setUp?.opening.take()?.shared.endOpening(route, isSingle: isSingle) ?? []
  }

  /// What keeps this connection from being opened would keep the next one from it, too.
  func failWaiting(_ tasks: [SessionTask], _ error: TransportError) {
    for task in tasks where task.isUnderWay {
      task.metrics.handshake = handshake
      task.evaluationFailure = setUp?.evaluationFailure
      task.complete(with: blamed(error))
    }
  }

  // MARK: What it becomes

  /// The handshake has agreed on HTTP/2, or the client speaks it in clear.
  func becomeShared(for task: SessionTask, isNew: Bool) {
    guard let connection = handOver() else { return }
    begin(task, on: connection, isNew: isNew)
  }

  /// The same ahead of any task. The origin speaks first: its settings are read and acknowledged now.
  func prepareShared() {
    let shared = handOver()
    setUp?.shared = shared
    shared?.onUnusedSettings = { [weak self] offers in self?.setUp?.onSettings.take()?(offers) }
    shared?.onUnusedEnd = { [weak self] error, lacksCertificate in self?.endPrepared(error, lacksCertificate: lacksCertificate) }
  }

  /// The same in clear, for a client that speaks HTTP/2 by prior knowledge (RFC 9113 3.3).
  func prepareSharedInClear() {
    guard transport.configuration.speaksHTTP2, machine.isPrepared, route.security == .none else { return }
    prepareShared()
    guard let input = setUp?.returnedInput else { return }
    setUp?.returnedInput = []
    if !input.isEmpty { setUp?.shared?.channelDidReceive(input.span, at: .now) }
  }

  private func handOver() -> HTTP2UpstreamConnection? {
    guard let link, let info else { return nil }
    self.link = nil
    return HTTP2UpstreamConnection(
      HTTP2UpstreamConnection.Opened(
        route: route, link: link, info: info, handshake: handshake, clientHandshake: clientHandshake,
        places: places.take()),
      transport: transport)
  }

  /// Puts the first task on `connection`, and those that have waited. From here on this object is done.
  func begin(_ task: SessionTask, on connection: HTTP2UpstreamConnection, isNew: Bool) {
    guard case .exchange(let request) = task.work else { preconditionFailure("HTTP/2 is agreed on for exchanges") }
    self.task = nil
    wait(nil)
    let waiting = endOpening(isSingle: false)
    close()
    connection.enter(transport.store(of: request))
    if connection.takesRequests, !request.needsHTTP1, task.offer != .http1 {
      connection.begin(task, isNew: isNew)
    } else {
      // A connection that was prepared serves the requests after this one, if its origin has not gone away already.
      task.carrier = nil
      transport.open(for: task)
    }
    for other in waiting { transport.reconsider(other) }
  }
}
