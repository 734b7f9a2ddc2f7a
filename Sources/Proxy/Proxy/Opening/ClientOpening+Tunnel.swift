internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// A tunnel is all that the connection carries.
extension ClientOpening: TunnelClient {
  /// A CONNECT came, and `rest` behind it.
  func openTunnel(_ draft: RecordDraft, to route: Route, holding rest: Span<UInt8>) {
    machine.hold(rest)
    openTunnel(ForwardedTunnel(connection: self, shard: shard, draft: draft, target: route))
  }

  func openTunnel(_ tunnel: ForwardedTunnel) {
    link.pauseReading()
    machine.openTunnel(tunnel)
    tunnel.begin()
  }

  /// Goes on in a tunnel that was begun before this connection was accepted.
  func take(_ tunnel: ForwardedTunnel) {
    wait(nil)
    link.pauseReading()
    machine.openTunnel(tunnel)
    tunnel.accept(by: self)
  }

  var interceptable: ClientOpening? { self }

  func originWasReached() -> Bool { true }

  func tunnelDidOpen() -> [UInt8] {
    switch client.door {
    case .proxy: link.withOutput { HeadSerializer.appendTunnelEstablished(into: &$0) }
    case .socks(let version): link.write(SOCKSReply.succeeded.bytes(to: version))
    case .reverse, .network, .library: break
    }
    return machine.takeInput()
  }

  func tunnelDidFail(_ error: TransportError, head: RequestHead?) {
    switch client.door {
    case .proxy:
      link.send(
        LocalReply(error, status: shard.configuration.status(of: error)), to: head?.version ?? .http11, persists: false,
        hasBody: head?.method != .head, date: shard.date.text(at: .now))
    case .socks(let version): link.write(SOCKSReply(error).bytes(to: version))
    case .network: link.reset()
    case .reverse, .library: break
    }
  }

  func engage(_ engagement: Engagement, at instant: MonotonicInstant?) {
    client.engage(engagement, at: instant)
  }

  func passOn(_ failure: PassedFailure) {
    if link.passOn(failure) { didClose() }
  }

  func exchangeDidEnd() {
    guard machine.tunnel != nil else { return }
    client.engage(.none)
    end()
  }

  // MARK: Bytes

  func relay(_ bytes: Span<UInt8>) -> Demand {
    link.write(bytes)
    return link.isAboveHighWater ? .pause : .more
  }

  var outlet: Channel? {
    guard case .plain(let channel) = link, machine.tunnel != nil else { return nil }
    return channel
  }

  func endRelay() {
    if client.omitsCloseNotify { link.omitCloseNotify() }
    link.shutdownOutput()
  }

  func pauseReading() { link.pauseReading() }

  func resumeReading() {
    if !machine.holdsInput { link.resumeReading() }
  }

  // MARK: Facts

  var bufferedBytes: Int { link.bufferedBytes }

  func tcpHistory(since start: TCPSample, at now: MonotonicInstant) -> TCPHistory? {
    link.tcpHistory(since: start, at: now)
  }

  func beginTCPHistory(at now: MonotonicInstant) -> TCPSample { link.beginTCPHistory(at: now) }

  var http2: ClientStreamDetails? { nil }
}
