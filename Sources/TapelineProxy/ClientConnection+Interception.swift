internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime
internal import TapelineTransport

/// TLS with the client, under one of our certificates.
extension ClientConnection {
  /// The facts known when a connection is about to be intercepted.
  struct Opening {
    /// The record of the CONNECT.
    var record: ExchangeRecord
    /// Where the CONNECT leads.
    let target: Route
    let hello: ClientHello
    let client: TLSClient
    /// When the first byte of the hello came.
    let began: MonotonicInstant?
    /// The connection that the CONNECT opened; `nil` when there was none.
    let prepared: PreparedConnection?

    /// The name that the certificate must be for.
    var name: String { hello.host(inTunnelTo: target.host) }
  }

  /// Decides about a connection that begins with `hello`, toward `host`.
  func decision(
    by interception: Interception, for hello: ClientHello, toward host: String, at instant: MonotonicInstant
  ) -> Interception.Decision {
    interception.decision(for: hello, toward: host, from: peerHost, at: instant) { findProgram(for: interception) }
  }

  /// The program at the client's end, if it runs on this machine and we may look at it. We look while the client waits for our
  /// hello: once it has refused us, its socket is gone.
  private func findProgram(for interception: Interception) -> ClientProgram? {
    guard case .plain(let channel) = link, let peer = channel.peerAddress, let own = channel.localAddress, peer.isOfThisMachine,
      let process = RunningProcess.owner(of: peer, to: own, likely: interception.clients.recentProcesses)
    else { return nil }
    return interception.clients.program(of: process) {
      ClientProgram($0, trustVariables: interception.trustVariables)
    }
  }

  /// Goes on inside the tunnel as the server that the client means. `greeting` begins with the client's hello, and came up to
  /// `instant`.
  func intercept(_ opening: consuming Opening, greeting: [UInt8], at instant: MonotonicInstant) {
    guard let interception = shard.configuration.interception, case .plain(let channel) = link else {
      preconditionFailure("a plain connection is intercepted, once, and only where interception is on")
    }
    let name = opening.name
    let route = opening.target.secured(serverName: name)
    let details = TLSDetails(opening.hello)
    if !opening.hello.namesHost, opening.record.comment == nil {
      opening.record.comment =
        "the client's server name \(opening.hello.serverName?.debugDescription ?? "") is not a host: tapeline uses \(name), where the tunnel leads"
    }
    opening.record.marks.stamp(.clientTLSStart, at: opening.began ?? instant)
    do {
      let (credentials, minting) = try interception.certificates.credentials(for: name)
      let engine = try TLSEngine(server: interception.context, credentials: credentials, lineage: id)
      opening.record.mintingNanoseconds = minting
      let tunnel = InterceptedTunnel(name: name, route: route, opening: opening.record, prepared: opening.prepared)
      tunnel.clientTLS = details
      tunnel.client = opening.client
      enter(tunnel)
      engage(.exchange, at: instant)
      let secure = SecureChannel(channel: channel, engine: engine, buffer: shard.transport.plaintextBuffer)
      secure.handler = self
      link = .secure(secure)
      phase = .securing(engine)
      wait(shard.configuration.headerTimeout)
      link.resumeReading()
      secure.start(with: greeting, at: instant)
      secureUpstream(tunnel, as: engine, offering: opening.hello.applicationProtocols)
    } catch {
      opening.record.clientTLS = details
      opening.record.failure = ExchangeRecord.Failure(
        origin: .local, phase: .tls, kind: .noCertificate, message: "no certificate for \(name): \(error)")
      shard.recordLocal(&opening.record, at: .now)
      end(with: .handshakeFailure)
    }
  }

  /// Begins TLS with the origin during the client's handshake, and as the client does: resumed if the client resumes, with the
  /// protocols that it offers.
  private func secureUpstream(_ tunnel: InterceptedTunnel, as engine: TLSEngine, offering offered: [ApplicationProtocol]) {
    guard let connections else { return tunnel.secureUpstream(following: nil) }
    // After the hello has been read, which the turn does next.
    shard.loop.enqueueLocal { [id] in
      let handshake = ClientHandshake(
        lineage: id, resumed: engine.resumedLineage, applicationProtocols: offered.filter { $0 == .http11 })
      connections.handshake = handshake
      tunnel.secureUpstream(following: handshake)
    }
  }

  func handshakeDidEnd(_ parameters: TLSParameters, at instant: MonotonicInstant) {
    guard let tunnel else { preconditionFailure("a handshake belongs to a tunnel") }
    tunnel.noteHandshake(.clientTLSEnd, at: instant)
    tunnel.securedAt = instant
    tunnel.clientTLS?.adopt(parameters)
    phase = .awaitingRequest
    engage(.none, at: instant)
    wait(shard.configuration.idleTimeout)
    if tunnel.hasLostOrigin { originDidEnd() }
  }

  /// Adds the tunnel's data to a request that came through it. The first request also reports what opening the tunnel took.
  func note(_ tunnel: InterceptedTunnel, in record: inout ExchangeRecord) {
    record.implied = tunnel.implied
    record.clientTLS = tunnel.clientTLS
    guard let opening = tunnel.takeOpening() else { return }
    record.pay(for: opening)
    if let client = tunnel.client { shard.configuration.interception?.clients.noteAcceptance(by: client, of: tunnel.name) }
  }

  // MARK: Failure

  func handshakeDidFail(_ error: TransportError, of engine: TLSEngine) {
    if let failure = link.failure { tunnel?.clientTLS?.adopt(failure, peer: "client") }
    var comment: String?
    if engine.hasSentCertificate {
      if case .alert(let name) = error.kind {
        comment = noteRefusal(.alert(name), at: .now)
      } else if error.kind == .closed || error.kind == .reset {
        comment = noteRefusal(.silence, at: .now)
      }
    }
    recordTunnelWithoutRequest(
      ExchangeRecord.Failure(origin: .client, phase: .tls, kind: .transport(error.kind), message: error.message), comment)
    close()
  }

  /// Notes that the client does not want our certificate. Answers the comment for the record; `nil` when the refusal is not
  /// believed, or makes no difference.
  private func noteRefusal(_ refusal: ClientTrust.Refusal, at instant: MonotonicInstant) -> String? {
    guard let tunnel, let client = tunnel.client, let interception = shard.configuration.interception else { return nil }
    let comment = interception.noteRefusal(refusal, by: client, of: tunnel.name, at: instant)
    tunnel.isRefused = comment != nil || !interception.failsOpen
    return comment
  }

  /// The client ends a secure connection without a request: some clients look at a certificate only after the handshake.
  func suspectRefusal(at instant: MonotonicInstant, alert: String? = nil) {
    guard let tunnel, tunnel.opening != nil, requestBegan == nil, let secured = tunnel.securedAt else { return }
    let refusal: ClientTrust.Refusal
    if let alert {
      tunnel.clientTLS?.alert = TLSDetails.Alert(name: alert, origin: "client")
      refusal = .alert(alert)
    } else {
      guard instant.nanoseconds(since: secured) < Self.suspicionNanoseconds else { return }
      refusal = .silence
    }
    guard let comment = noteRefusal(refusal, at: instant) else { return }
    recordTunnelWithoutRequest(
      ExchangeRecord.Failure(
        origin: .client, phase: .tls, kind: .transport(alert.map { .alert($0) } ?? .closed),
        message: "the client ended the connection after our certificate, without a request"),
      comment)
  }

  /// A client that hangs up later than this after the handshake did not do so because of the certificate.
  private static let suspicionNanoseconds: Int64 = 2_000_000_000

  /// A tunnel that was opened and never used is an entry too.
  func recordUnusedTunnel() {
    recordTunnelWithoutRequest(nil, "no request came through the tunnel")
  }

  /// Records the opening of the tunnel, unless a request has reported it.
  func recordTunnelWithoutRequest(_ failure: ExchangeRecord.Failure?, _ comment: String?) {
    guard let tunnel, var record = tunnel.takeOpening() else { return }
    record.kind = .tunnel(toServer: 0, toClient: 0)
    if tunnel.isRefused { record.unread = .pinned }
    record.failure = failure
    record.clientTLS = tunnel.clientTLS
    record.comment = comment ?? record.comment
    shard.recordLocal(&record, at: .now)
  }
}
