internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime

/// The handshake with the origin: for the task, or ahead of one.
extension UpstreamOpening {
  func secure(_ channel: Channel, serverName: String) {
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
      evaluationFailure = error
      throw TLSError(.configuration, "nobody may judge \(serverName): \(error)")
    }
    offered = protocolsToOffer
    return try TLSEngine(
      client: context, serverName: serverName, session: sessionToResume,
      credentials: configuration.clientCredentials?(serverName),
      evaluator: evaluator, applicationProtocols: offered, manner: clientHandshake?.manner)
  }

  /// The protocols to offer by ALPN; `nil`: those of the context, HTTP/1.1.
  private var protocolsToOffer: [ApplicationProtocol]? {
    guard let task, case .exchange(let request) = task.work else {
      let early = transport.configuration.speaksHTTP2 ? earlyOffer : nil
      return clientHandshake?.applicationProtocols ?? early
    }
    return transport.protocolsToOffer(for: task, request, to: route, following: clientHandshake)
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
      stand(for: task, hasWaited: false)
    } else {
      machine.prepare()
      if speaksHTTP2 { prepareShared() }
      wait(transport.configuration.idleTimeout)
      onEvent?(.handshakeDidEnd(.success(parameters)))
    }
  }

  func handshakeDidFail(_ error: TransportError) {
    if let link, let failure = link.failure {
      handshake = .failed(failure)
      evaluationFailure = link.evaluationFailure
    }
    noteHandshake(endedAt: nil)
    if let task {
      if let offer = betterOffer(for: task) { return startOver(task, offering: offer) }
      task.evaluationFailure = evaluationFailure
      return fail(error)
    }
    let error = link?.lacksCertificate == true ? error.afterMissingCertificate : error
    info?.tcp = link?.tcpStatistics()
    end()
    // The first task is told.
    machine.refuse(error)
    onEvent?(.handshakeDidEnd(.failure(error)))
  }

  private func noteHandshake(endedAt instant: MonotonicInstant?) {
    guard let link, case .secure(let secure) = link else { return }
    if let began = secure.handshakeBegan { marks.stamp(.tlsStart, at: began) }
    if let instant {
      marks.stamp(.tlsEnd, at: instant)
      // The write of our hello may have returned late.
      marks.bound(.tlsStart, by: instant)
    }
    guard let task else { return }
    task.metrics.handshake = handshake
    task.metrics.marks.adopt(.tlsStart ... .tlsEnd, from: marks)
  }

  // MARK: Another offer

  /// The offer to make instead, if the origin has refused ours because the other protocol was not in it (RFC 7301 3.2).
  func betterOffer(for task: SessionTask) -> ProtocolOffer? {
    guard transport.configuration.speaksHTTP2, task.offer == .usual, case .exchange(let request) = task.work,
      handshake?.failure?.kind == .peerAlert(.noApplicationProtocol)
    else { return nil }
    let offered = transport.protocolsToOffer(for: task, request, to: route, following: clientHandshake) ?? []
    if !offered.contains(.http2) { return request.needsHTTP1 ? nil : .http2 }
    return offered.contains(.http11) ? nil : .http1
  }

  /// The task tries once more, on a connection with another offer.
  func startOver(_ task: SessionTask, offering offer: ProtocolOffer) {
    measure()
    let waiting = endAwaiting()
    end()
    task.offer = offer
    transport.restart(task)
    for other in waiting { transport.reconsider(other) }
  }
}

extension NetworkTransport {
  /// The protocols to offer by ALPN for a task's exchange; `nil`: those of the context, HTTP/1.1.
  func protocolsToOffer(
    for task: SessionTask, _ request: OutgoingRequest, to route: Route, following clientHandshake: ClientHandshake?
  ) -> [ApplicationProtocol]? {
    guard configuration.speaksHTTP2 else { return clientHandshake?.applicationProtocols }
    switch task.offer {
    case .http1: return [.http11]
    case .http2: return [.http2, .http11]
    case .usual where http2Routes.contains(route) && !request.needsHTTP1: return [.http2, .http11]
    case .usual: break
    }
    let isSpoken = request.sender == .ourselves || request.http2 != nil
    let usual = clientHandshake?.applicationProtocols ?? (isSpoken ? [.http2, .http11] : [.http11])
    // HTTP/2 has no upgrade (RFC 9113 8.6).
    return request.needsHTTP1 ? usual.filter { $0 != .http2 } : usual
  }

  /// Some servers that speak HTTP/2 alone do not refuse an offer without it: they choose no protocol, and end the connection.
  /// Returns whether this one did.
  func noteRefusalOfHTTP1(to route: Route, offered: [ApplicationProtocol]?, _ handshake: HandshakeOutcome?) -> Bool {
    guard configuration.speaksHTTP2, offered == [.http11], let parameters = handshake?.parameters,
      parameters.applicationProtocol == nil
    else { return false }
    noteHTTP2Route(route)
    return true
  }
}
