internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineText
internal import TapelineTime
internal import TapelineTransport

/// Connections that do not carry requests to a proxy: tunnels, other protocols after a 101, and TLS spoken to the listener
/// itself, which is treated as a tunnel to the host in its hello.
extension ClientConnection {
  func openTunnel(_ record: ExchangeRecord, to route: Route) {
    link.pauseReading()
    let tunnel = TunnelTaskDelegate(connection: self, shard: shard, record: record, target: route)
    phase = .tunnelling(tunnel)
    tunnel.begin()
  }

  /// Reads on in the tunnel, which carries plain HTTP.
  func continueInClear(_ opening: ExchangeRecord, to route: Route, on prepared: PreparedConnection?, greeting: [UInt8]) {
    enter(InterceptedTunnel(name: route.host, route: route, opening: opening, prepared: prepared))
    phase = .awaitingRequest
    parse(greeting.span, at: .now)
  }

  /// From here on, requests come through `tunnel`; the CONNECT did not.
  func enter(_ tunnel: InterceptedTunnel) {
    self.tunnel = tunnel
    tunnel.onPeerEnd { [unowned self] in originDidEnd() }
    exchanges = 0
    requestBegan = nil
    http = HTTP1Connection(role: .server, limits: shard.configuration.limits)
    engage(.none)
  }

  /// The exchange goes on as a stream. Bytes that the client has sent already belong to it.
  func exchangeDidUpgrade(_ exchange: ForwardedExchange) {
    phase = .upgraded(exchange)
    engage(.tunnel)
    wait(shard.configuration.idleTimeout)
    let early = takeInput()
    if !early.isEmpty { exchange.relayFromClient(early.span, at: .now) }
    link.resumeReading()
  }

  // MARK: TLS spoken to the listener

  /// Whether nothing has come from the client yet.
  var isFresh: Bool { exchanges == 0 && requestBegan == nil && tunnel == nil }

  func beginGreeting(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    noteFirstByte(at: instant)
    phase = .greeting
    receiveGreeting(bytes, at: instant)
  }

  func receiveGreeting(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    unsafe bytes.withUnsafeBufferPointer { unsafe input.append(contentsOf: $0) }
    // A constant: in an optimised build, no span of a stored property survives the switch.
    let gathered = input
    switch ClientHello.peek(gathered.span) {
    case .needsMore: break
    case .hello(let hello): accept(hello, at: instant)
    case .notTLS:
      // The parser says what is wrong with the bytes.
      phase = .awaitingRequest
      input = []
      parse(gathered.span, at: instant)
    }
  }

  private func accept(_ hello: ClientHello, at instant: MonotonicInstant) {
    guard let interception = shard.configuration.interception else {
      return refuse(
        hello, kind: .tlsToProxy,
        "the client spoke TLS to the proxy, which expects plain HTTP: its URL begins with http://")
    }
    guard let name = hello.serverName, hello.namesHost, !meansUs(name) else {
      return refuse(hello, kind: .noServerName, "TLS to the proxy itself named no other host to go to")
    }
    let access = shard.configuration.access
    guard access.credentials == nil else {
      return refuse(
        hello, kind: .proxyAuthenticationRequired,
        "this proxy needs a name and a password, which TLS without CONNECT cannot give")
    }
    let route = Route(host: name, port: 443, reach: reach)
    if let refusal = access.refusal(toward: route) {
      return refuse(hello, kind: refusal.kind, refusal.message(toward: route))
    }
    var opening = newRecord(Self.connectHead(to: route), at: instant)
    opening.comment = "TLS came directly, without CONNECT"
    switch decision(by: interception, for: hello, toward: name, at: instant) {
    case .intercept(let client):
      intercept(
        Opening(record: opening, target: route, hello: hello, client: client, began: requestBegan, prepared: nil),
        greeting: takeInput(), at: instant)
    case .relay(let reason, let comment):
      opening.comment = comment ?? opening.comment
      opening.unread = reason
      let tunnel = TunnelTaskDelegate(
        connection: self, shard: shard, record: opening, target: route, greeting: takeInput(), began: requestBegan)
      requestBegan = nil
      wait(nil)
      phase = .tunnelling(tunnel)
      link.pauseReading()
      tunnel.begin()
    }
  }

  private func refuse(_ hello: ClientHello, kind: ExchangeRecord.Failure.Kind, _ message: String) {
    let alert = TLSAlert.unrecognizedName
    let now = MonotonicInstant.now
    var record = newRecord(nil, at: now)
    record.failure = ExchangeRecord.Failure(origin: .client, phase: .tls, kind: kind, message: message)
    var details = TLSDetails(hello)
    details.alert = TLSDetails.Alert(name: alert.name, origin: "local")
    record.clientTLS = details
    shard.recordLocal(&record, at: now)
    end(with: alert)
  }

  /// Ends a connection on which no handshake has begun, by a fatal alert in clear (RFC 8446 6).
  func end(with alert: TLSAlert) {
    let record: [UInt8] = [21, 3, 3, 0, 2, 2, alert.code]
    link.write(record)
    end()
  }

  /// Whether a name leads to this machine: TLS for such a name is meant for the proxy, not for a server beside it.
  private func meansUs(_ name: String) -> Bool {
    Host(name).isLocalhost || isOurs(host: name, port: 443)
  }

  /// The head that the client would have sent if it had known of the proxy; `nil` when the name in the hello is not a host.
  private static func connectHead(to route: Route) -> RequestHead? {
    do throws(HTTPParseError) {
      return try RequestHead(method: .connect, target: "\(route.host):\(route.port)")
    } catch {
      return nil
    }
  }
}
