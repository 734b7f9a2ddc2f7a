internal import TapelineCore
internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// Who reads the requests: another object takes over the client and the link, and this one ends.
extension ClientOpening {
  // MARK: HTTP/1

  /// The client has sent nothing yet.
  func continueInHTTP1() {
    let connection = handOverInHTTP1()
    if client.tunnel?.hasLostOrigin == true { connection.originDidEnd() }
  }

  /// - Parameters:
  ///   - bytes: what has been read, up to `instant`.
  ///   - first: when the first of them came, if that is known better.
  ///   - began: when the request began, if it was taken for a greeting at first.
  func continueInHTTP1(
    with bytes: Span<UInt8>, at instant: MonotonicInstant, from first: MonotonicInstant? = nil,
    since began: MonotonicInstant? = nil
  ) {
    let connection = handOverInHTTP1()
    if let began { connection.requestDidBegin(at: began) }
    connection.parse(bytes, at: instant, from: first)
  }

  private func handOverInHTTP1() -> ClientConnection {
    wait(nil)
    machine.end()
    let connection = ClientConnection(shard: shard, link: link, client: client)
    link.report(to: connection)
    shard.replace(by: connection)
    connection.wait(shard.configuration.idleTimeout)
    return connection
  }

  /// Reads on in the tunnel, which carries plain HTTP.
  func continueInClear(_ opening: ExchangeRecord, to route: Route, on prepared: PreparedConnection?, greeting: [UInt8]) {
    enter(InterceptedTunnel(to: route, opening: opening, prepared: prepared, shard: shard))
    continueInHTTP1(with: greeting.span, at: .now)
  }

  func enter(_ tunnel: InterceptedTunnel) {
    client.enter(tunnel)
    client.engage(.none)
  }

  // MARK: HTTP/2

  /// Goes on with HTTP/2 in clear inside a tunnel (RFC 9113 3.3).
  func continueInHTTP2(
    _ opening: ExchangeRecord, to route: Route, on prepared: PreparedConnection?, greeting: [UInt8], at instant: MonotonicInstant
  ) {
    prepared?.startHTTP2()
    enter(InterceptedTunnel(to: route, opening: opening, prepared: prepared, shard: shard))
    client.hasPriorKnowledge = true
    continueInHTTP2(with: greeting, at: instant)
  }

  /// - Parameter greeting: what has been read of it, up to `instant`.
  func continueInHTTP2(with greeting: [UInt8], at instant: MonotonicInstant) {
    wait(nil)
    client.engage(.none, at: instant)
    machine.end()
    let unreported =
      switch link {
      case .plain(let channel): channel.unreportedBytes
      case .secure: 0
      }
    let successor = HTTP2ClientConnection(client: client, link: link, shard: shard, unreported: unreported)
    link.report(to: successor)
    shard.replace(by: successor)
    successor.begin(with: greeting, at: instant)
  }
}
