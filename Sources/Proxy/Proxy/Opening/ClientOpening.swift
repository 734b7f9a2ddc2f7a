internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime
internal import TapelineTransport

/// A client's connection while it carries no requests: its greeting, a tunnel, TLS with us. Loop-bound.
///
/// It ends when the connection goes to a `ClientConnection` or an `HTTP2ClientConnection`, and begins again with a CONNECT. Its
/// machine holds its state; its extensions act on it: what the client says first (`+Greeting`, `+SOCKS`), the tunnel (`+Tunnel`),
/// TLS (`+TLS`), and who goes on (`+Successor`).
final class ClientOpening: ClientConnectionEnding {
  let client: Client
  let shard: LoopShard
  /// Over TLS once the connection is intercepted.
  var link: Link
  var machine = StateMachine<ForwardedTunnel>()
  /// From the first byte of a client that speaks SOCKS until it has said where it wants to go.
  var socks: SOCKSNegotiation?
  private var patience = Patience()

  init(shard: LoopShard, link: Link, client: Client) {
    self.shard = shard
    self.client = client
    self.link = link
    client.onOriginEvent = nil
  }

  var id: UInt64 { client.id }

  var began: MonotonicInstant? { machine.began }

  /// - Parameter tunnel: that was begun for the client before.
  func start(on channel: Channel, in tunnel: ForwardedTunnel? = nil) {
    channel.handler = self
    channel.start()
    wait(shard.configuration.idleTimeout)
    if let tunnel { return take(tunnel) }
    if case .network = client.entrance, let destination = channel.localAddress {
      begin(toward: destination, at: .now)
    }
  }

  /// The tunnel, as far as it has come.
  func exchangesInFlight(at instant: MonotonicInstant) -> [ExchangeRecord] {
    machine.tunnel?.recordSoFar(at: instant).map { [$0] } ?? []
  }

  // MARK: Ending

  /// Shutdown has begun.
  func closeIfIdle() {
    if machine.isFresh { close() }
  }

  /// Ends the tunnel, which is recorded.
  func abort() {
    lose(because: .gaveUp(.shutdown))
  }

  /// The client is gone, or we give it up: the tunnel is cancelled and recorded.
  func lose(because departure: Departure) {
    switch machine.lossAction {
    case .close:
      close()
    case .recordRequest:
      client.recordUnfinishedRequest(departure.failure(in: .request), began: machine.began)
      close()
    case .recordHandshake:
      client.tunnel?.recordWithoutRequest(departure.failure(in: .tls), nil)
      close()
    case .tellTunnel(let tunnel):
      close()
      tunnel.clientDidLeave(departure)
    case .nothing:
      break
    }
  }

  func didClose() {
    machine.end()
    wait(nil)
    client.leave()
    client.engage(.none)
    shard.connectionDidEnd(self)
  }

  // MARK: Patience

  /// Waits at most this long for the next sign of life; `nil`: it is not the client's turn.
  func wait(_ limit: Duration?) {
    patience.wait(limit) { Timer(loop: shard.loop) { [unowned self] in runOutOfPatience() } }
  }

  /// Bytes have passed, either way: the time-out for silence starts again.
  private func noteLifeOfTunnel() {
    if let limit = shard.configuration.idleTimeout { wait(limit) }
  }

  private func runOutOfPatience() {
    switch machine.timeoutAction {
    case .close: close()
    case .askTunnel(let tunnel): tunnel.runOutOfPatience()
    case .loseHandshake: lose(because: .gaveUp(.clientTimedOut(in: .tls, option: "--header-timeout")))
    case .loseRequest: lose(because: .gaveUp(.clientTimedOut(in: .request, option: "--header-timeout")))
    }
  }
}

// MARK: - What the link tells

extension ClientOpening: SecureChannelHandler {
  func channelDidReceive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    switch machine.inputAction(isGreeting: isGreeting(bytes)) {
    case .parse:
      continueInHTTP1(with: bytes, at: instant, from: link.arrival.first)
    case .relay(let tunnel):
      noteLifeOfTunnel()
      tunnel.receiveFromClient(bytes, at: instant)
    case .greet:
      greet(with: bytes, at: instant)
    case .gatherGreeting:
      receiveGreeting(bytes, at: instant)
    case .nothing:
      break
    }
  }

  /// The client will send no more.
  func channelDidReceiveEnd(at instant: MonotonicInstant) {
    if link.inputIsTruncated { client.hasOmittedCloseNotify = true }
    if let tunnel = machine.tunnel { tunnel.clientDidEnd() } else { hangUp(at: instant) }
  }

  func channelDidWrite(_ count: Int, at instant: MonotonicInstant) {
    guard let tunnel = machine.tunnel else { return }
    noteLifeOfTunnel()
    tunnel.didDeliver(at: instant)
  }

  func channelDidDrain() {
    machine.tunnel?.clientCanTakeMore()
  }

  func channelDidFail(_ error: TransportError) {
    switch machine.failAction {
    case .failHandshake:
      client.tunnel?.handshakeDidFail(error, link.failure)
      close()
    case .hangUp:
      hangUp(because: error)
    }
  }

  func channelDidSecure(_ parameters: TLSParameters, at instant: MonotonicInstant) {
    guard let tunnel = client.tunnel else { preconditionFailure("a handshake belongs to a tunnel") }
    tunnel.handshakeDidEnd(parameters, at: instant)
    if parameters.applicationProtocol == .http2 {
      continueInHTTP2(with: [], at: instant)
    } else {
      client.engage(.none, at: instant)
      continueInHTTP1()
    }
  }
}
