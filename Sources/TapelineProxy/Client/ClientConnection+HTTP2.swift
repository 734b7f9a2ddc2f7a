internal import TapelineCore
internal import TapelineHTTP2
internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// Clients that go on in HTTP/2: another object takes over the client and the link, and this one ends.
extension ClientConnection {
  /// Goes on with HTTP/2 in clear inside a tunnel (RFC 9113 3.3).
  func continueInHTTP2(
    _ opening: ExchangeRecord, to route: Route, on prepared: PreparedConnection?, greeting: [UInt8], at instant: MonotonicInstant
  ) {
    machine.enterTunnel()
    prepared?.startHTTP2()
    enter(InterceptedTunnel(to: route, opening: opening, prepared: prepared, shard: shard))
    client.hasPriorKnowledge = true
    continueInHTTP2(with: greeting, at: instant)
  }

  /// Judges the first bytes of a client that may speak HTTP/2 to the listener itself.
  func receivePreface(_ gathered: [UInt8], at instant: MonotonicInstant) {
    switch HTTP2Preface.judge(gathered.span) {
    case .incomplete:
      break
    case .complete:
      // As in a tunnel, the origin is spoken to likewise; as proxies, we forward to origins of any version.
      if case .origin = client.entrance { client.hasPriorKnowledge = true }
      continueInHTTP2(with: machine.takeInput(), at: instant)
    case .other:
      noteFirstByte(at: instant)
      let request = machine.greetingDidFail()
      parse(request.span, at: instant)
    }
  }

  /// Goes on with HTTP/2.
  ///
  /// - Parameter greeting: what has been read of it, up to `instant`.
  func continueInHTTP2(with greeting: [UInt8], at instant: MonotonicInstant) {
    wait(nil)
    engage(.none, at: instant)
    machine.close()
    let successor: HTTP2ClientConnection
    switch link {
    case .plain(let channel):
      successor = HTTP2ClientConnection(client: client, link: link, shard: shard, unreported: channel.unreportedBytes)
      channel.handler = successor
    case .secure(let channel):
      successor = HTTP2ClientConnection(client: client, link: link, shard: shard, unreported: 0)
      channel.handler = successor
    }
    shard.replace(by: successor)
    successor.begin(with: greeting, at: instant)
  }
}

extension ClientConnection: TunnelClient {
  /// The tunnel is all that it carries.
  var interceptable: ClientConnection? { self }
}
