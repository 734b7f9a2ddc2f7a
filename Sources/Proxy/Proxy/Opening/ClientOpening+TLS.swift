internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime
internal import TapelineTransport

/// TLS with the client, in which we act as the server that it means.
extension ClientOpening {
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
      client.engage(.exchange, at: instant)
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
      ForwardedTunnel(
        connection: self, shard: shard, draft: RecordDraft(record), target: route, greeting: hello, after: failure))
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
  func end(with alert: TLSAlert) {
    link.write(Self.record(of: alert))
    end()
  }

  private static func record(of alert: TLSAlert) -> [UInt8] { [21, 3, 3, 0, 2, 2, alert.code] }
}

/// The alerts by which we refuse a client before a handshake begins.
extension TLSAlert {
  /// The client named no host that we could act as (RFC 6066 3).
  static let unrecognizedName = TLSAlert(code: 112)
  /// We cannot act as the host that the client named (RFC 8446 6.2).
  fileprivate static let handshakeFailure = TLSAlert(code: 40)
  /// The hello breaks the rules (RFC 8446 6.2).
  fileprivate static let decodeError = TLSAlert(code: 50)
}
