internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime
internal import TapelineTransport

/// Tunnels, and TLS with the client: in a tunnel, or spoken to the listener itself, which is treated as a tunnel to the host in
/// the hello.
extension ClientConnection {
  func openTunnel(_ tunnel: TunnelTaskDelegate) {
    link.pauseReading()
    machine.openTunnel(tunnel)
    tunnel.begin()
  }

  /// Goes on in a tunnel that was begun before this connection was accepted.
  func take(_ tunnel: TunnelTaskDelegate) {
    wait(nil)
    link.pauseReading()
    machine.openTunnel(tunnel)
    tunnel.accept(by: self)
  }

  func originWasReached() -> Bool { true }

  func tunnelDidOpen() -> [UInt8] {
    switch client.door {
    case .proxy: link.withOutput { HeadSerializer.appendTunnelEstablished(into: &$0) }
    case .socks(let version): link.write(SOCKSReply.succeeded.bytes(to: version))
    case .reverse, .network: break
    }
    return machine.takeInput()
  }

  func tunnelDidFail(_ error: TransportError, head: RequestHead?) {
    switch client.door {
    case .proxy: answer(LocalReply(error, status: shard.configuration.status(of: error)), to: head)
    case .socks(let version): link.write(SOCKSReply(error).bytes(to: version))
    case .network: link.reset()
    case .reverse: break
    }
  }

  /// Reads on in the tunnel, which carries plain HTTP.
  func continueInClear(_ opening: ExchangeRecord, to route: Route, on prepared: PreparedConnection?, greeting: [UInt8]) {
    machine.enterTunnel()
    enter(InterceptedTunnel(to: route, opening: opening, prepared: prepared, shard: shard))
    parse(greeting.span, at: .now)
  }

  func enter(_ tunnel: InterceptedTunnel) {
    client.enter(tunnel)
    http = HTTP1Connection(role: .server, limits: shard.configuration.limits)
    engage(.none)
  }

  /// Decides about a connection that begins with `hello`, toward `host`.
  func decision(
    by interception: Interception, for hello: ClientHello, toward host: String, at instant: MonotonicInstant
  ) -> Interception.Decision {
    let speaksHTTP2 = shard.configuration.speaksHTTP2
    return interception.decision(for: hello, toward: host, from: client.host, speaksHTTP2: speaksHTTP2, at: instant) {
      guard case .plain(let channel) = link else { return nil }
      switch client.entrance {
      case .network: return shard.networkDiagnostics.flatMap { interception.program(at: channel, askedBy: $0) }
      case .proxy, .origin: return interception.program(at: channel, askedBy: nil)
      }
    }
  }

  /// Goes on inside the tunnel as the server that the client means. `greeting` begins with the client's hello, and came up to
  /// `instant`.
  func intercept(_ opening: InterceptedTunnel.Opening, greeting: [UInt8], at instant: MonotonicInstant) {
    guard let interception = shard.configuration.interception, case .plain(let channel) = link else {
      preconditionFailure("a plain connection is intercepted, once, and only where interception is on")
    }
    var opening = opening
    if case .origin(let origin) = client.entrance {
      opening.origin = (origin.route, channel.localAddress?.host ?? origin.host)
    }
    let mirror = ProtocolMirror(opening.hello.applicationProtocols, speaksHTTP2: shard.configuration.speaksHTTP2)
    let holdsHello = shard.configuration.failures == .connection && opening.prepared != nil
    do {
      let engine = try opening.makeEngine(
        by: interception, lineage: client.id, issuesTickets: client.connections == nil, holdsProtocol: mirror.awaitsOrigin,
        holdsHello: holdsHello, at: instant)
      let tunnel = InterceptedTunnel(opening, engine: engine, offering: mirror.offered, shard: shard)
      machine.secure()
      enter(tunnel)
      engage(.exchange, at: instant)
      let secure = SecureChannel(channel: channel, engine: engine, buffer: shard.transport.plaintextBuffer)
      secure.handler = self
      link = .secure(secure)
      link.resumeReading()
      secure.start(with: greeting, at: instant)
      if mirror.awaitsOrigin || holdsHello {
        wait(nil)
        tunnel.awaitOrigin { [weak self, weak secure] in self?.originDidAnswer($0, mirror, on: secure) }
      } else {
        wait(shard.configuration.headerTimeout)
      }
      secureUpstream(tunnel, on: secure, offering: mirror.offered, like: opening.hello.manner)
    } catch {
      opening.fail(error, recordedBy: shard)
      end(with: .handshakeFailure)
    }
  }

  /// Begins TLS with the origin during the client's handshake, and as the client does: resumed if the client resumes, with the
  /// protocols that it offers.
  private func secureUpstream(
    _ tunnel: InterceptedTunnel, on channel: SecureChannel, offering offered: [ApplicationProtocol], like manner: HelloManner
  ) {
    guard let connections = client.connections else { return tunnel.secureUpstream(following: nil) }
    // After the hello has been read, which the turn does next.
    shard.loop.enqueueLocal { [id] in
      let handshake = ClientHandshake(
        lineage: id, resumed: channel.resumedLineage, applicationProtocols: offered, manner: manner,
        ticketsOn: channel)
      connections.handshake = handshake
      tunnel.secureUpstream(following: handshake)
    }
  }

  /// Goes on with the client's handshake, which has waited for the origin's. From here on it is the client's turn.
  private func originDidAnswer(_ answer: ProtocolMirror.Answer, _ mirror: ProtocolMirror, on channel: SecureChannel?) {
    if case .failed(let error) = answer, shard.configuration.passes(error) != nil, !error.isAboutProtocols, let channel {
      return passOn(error, on: channel)
    }
    if channel?.answer(with: [mirror.choice(after: answer)]) == true { wait(shard.configuration.headerTimeout) }
  }

  /// TLS with the origin has failed, and the client was not answered yet. It tries for itself, by the hello that it has sent: its
  /// TLS may fail in the same way, or be one that the origin takes, or it may trust the origin more than we do.
  private func passOn(_ error: TransportError, on secure: SecureChannel) {
    guard let tunnel = client.tunnel, let (channel, hello) = secure.giveBack(), var record = tunnel.giveUp() else { return }
    channel.handler = self
    link = .plain(channel)
    let failure = ExchangeRecord.Failure(error)
    guard shard.configuration.interception?.failsOpen == true else {
      record.failure = failure
      record.kind = .tunnel(toServer: 0, toClient: 0)
      shard.recordLocal(RecordDraft(record), at: .now)
      shard.activity.countFailure(isAnswered: false)
      return end(with: .handshakeFailure)
    }
    record.unread = .serverTLSFailed
    record.comment = "tapeline's own TLS with the server failed, and the client's went on by itself: \(failure.message)"
    if case .certificate = error.kind { record.comment? += " (--upstream-ca, --insecure-upstream)" }
    let route = Route(host: tunnel.route.host, port: tunnel.route.port, reach: tunnel.route.reach)
    openTunnel(
      TunnelTaskDelegate(
        connection: self, shard: shard, draft: RecordDraft(record), target: route, greeting: hello, after: failure))
  }

  // MARK: TLS spoken to the listener

  func receiveGreeting(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    guard socks == nil else { return receiveSOCKS(bytes, at: instant) }
    let gathered = machine.gatherGreeting(bytes)
    guard gathered[0] == Greeting.tlsByte else { return receivePreface(gathered, at: instant) }
    switch ClientHello.peek(gathered.span) {
    case .needsMore:
      break
    case .hello(let hello):
      accept(hello, at: instant)
    case .notTLS, .malformed:
      let wrong = machine.greetingDidFail()
      parse(wrong.span, at: instant)
    }
  }

  private func accept(_ hello: ClientHello, at instant: MonotonicInstant) {
    switch client.decide(about: hello) {
    case .refuse(let kind, let message): refuse(hello, kind: kind, message)
    case .open(let route, let interception): accept(hello, toward: route, interception, at: instant)
    case .openOrigin(let route): openTunnel(toOrigin: route, at: instant)
    }
  }

  /// Opens the connection to the one origin first, so that the client can be answered the protocol that the origin chooses.
  private func openTunnel(toOrigin route: Route, at instant: MonotonicInstant) {
    let began = machine.began
    let draft = client.newRecord(RequestHead.connect(to: route), began: began, at: instant)
    wait(nil)
    openTunnel(
      TunnelTaskDelegate(
        connection: self, shard: shard, draft: draft, target: route, greeting: machine.takeInput(), began: began,
        isDecided: false))
  }

  private func accept(_ hello: ClientHello, toward route: Route, _ interception: Interception, at instant: MonotonicInstant) {
    let began = machine.began
    let opening = client.newRecord(RequestHead.connect(to: route), began: began, at: instant)
    if case .proxy = client.entrance { opening.record.comment = "TLS came directly, without CONNECT" }
    switch decision(by: interception, for: hello, toward: route.host, at: instant) {
    case .intercept(let program):
      wait(shard.configuration.protocolPatience)
      openTunnel(
        TunnelTaskDelegate(
          connection: self, shard: shard, draft: opening, target: route, greeting: machine.takeInput(), began: began,
          isDecided: true, intercepting: (hello, program)))
    case .relay(let reason, let comment):
      opening.record.comment = comment ?? opening.record.comment
      opening.record.unread = reason
      wait(nil)
      openTunnel(
        TunnelTaskDelegate(
          connection: self, shard: shard, draft: opening, target: route, greeting: machine.takeInput(), began: began,
          isDecided: true))
    }
  }

  private func refuse(_ hello: ClientHello, kind: ExchangeRecord.Failure.Kind, _ message: String) {
    let alert = TLSAlert.unrecognizedName
    let now = MonotonicInstant.now
    let draft = client.newRecord(nil, began: machine.began, at: now)
    draft.record.failure = ExchangeRecord.Failure(origin: .client, phase: .tls, kind: kind, message: message)
    var details = TLSDetails(hello)
    details.alert = TLSDetails.Alert(name: alert.name, origin: "local")
    draft.record.clientTLS = details
    shard.recordLocal(draft, at: now)
    end(with: alert)
  }

  /// Ends the tunnel of a client whose hello nobody can read: nothing passes unread.
  func refuseMalformedHello() {
    link.write(Self.record(of: .decodeError))
    lose(
      because: .gaveUp(
        ExchangeRecord.Failure(
          origin: .client, phase: .tls, kind: .transport(.protocolViolation),
          message: "the client's TLS hello is malformed, and --strict passes nothing through unread")))
  }

  /// Ends a connection on which no handshake has begun, by a fatal alert in clear (RFC 8446 6).
  private func end(with alert: TLSAlert) {
    link.write(Self.record(of: alert))
    end()
  }

  private static func record(of alert: TLSAlert) -> [UInt8] { [21, 3, 3, 0, 2, 2, alert.code] }
}

/// The alerts by which we refuse a client before a handshake begins.
extension TLSAlert {
  /// The client named no host that we could act as (RFC 6066 3).
  fileprivate static let unrecognizedName = TLSAlert(code: 112)
  /// We cannot act as the host that the client named (RFC 8446 6.2).
  fileprivate static let handshakeFailure = TLSAlert(code: 40)
  /// The hello breaks the rules (RFC 8446 6.2).
  fileprivate static let decodeError = TLSAlert(code: 50)
}
