internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineSystem
internal import TapelineTime
internal import TapelineTransport

/// Holds the connections of a command's network back until their servers have been reached, or have failed: then the program is
/// told what it would have been told without us. Loop-bound.
///
/// The tunnel of each begins with its first packet, and goes on with the connection that our end accepts.
final class ConnectionGate {
  private unowned let shard: LoopShard
  private let judge: (_ packet: UInt32, PacketVerdict) -> Void
  private var held = HeldConnections<HeldClient>()
  /// Clients that have left, and whose tunnels are not recorded yet.
  private var leaving = 0

  /// A program whose connection may go on does so at once. If it is gone, our end accepts nothing.
  fileprivate static let patience = Duration.seconds(10)

  /// - Parameter judge: called once for each packet.
  init(shard: LoopShard, judge: @escaping (_ packet: UInt32, PacketVerdict) -> Void) {
    self.shard = shard
    self.judge = judge
  }

  var isEmpty: Bool { held.isEmpty && leaving == 0 }

  func exchangesInFlight(at instant: MonotonicInstant) -> [ExchangeRecord] {
    held.clients.compactMap { $0.recordSoFar(at: instant) }
  }

  /// A program begins a connection, or repeats its first packet.
  func receive(_ packet: HeldPacket, at instant: MonotonicInstant) {
    switch held.receive(packet) {
    case .begin:
      begin(packet, at: instant)
    case .replace(let earlier):
      giveUp(earlier)
      begin(packet, at: instant)
    case .judge(let verdict):
      judge(packet.id, verdict)
    }
  }

  /// Our end has accepted a connection.
  func claim(from source: SocketAddress?, to destination: SocketAddress?) -> HeldConnections<HeldClient>.Claim {
    guard let source, let destination else { return .unknown }
    return held.claim(TCPFlow(source: source, destination: destination))
  }

  /// The network's programs have ended, or nobody waits for them any more.
  func close() {
    for client in held.clients { giveUp(client) }
  }

  private func begin(_ packet: HeldPacket, at instant: MonotonicInstant) {
    let client = Client(shard: shard, peer: packet.flow.source, entrance: .network, acceptedAt: instant)
    let (draft, route) = client.opening(toward: packet.flow.destination, at: instant)
    guard draft.record.failure == nil else {
      shard.recordLocal(draft, at: .now)
      held.note(.refuse, on: packet)
      return judge(packet.id, .refuse)
    }
    let waiting = HeldClient(client, packet: packet, gate: self)
    held.add(waiting, for: packet)
    waiting.begin(ForwardedTunnel(connection: waiting, shard: shard, draft: draft, target: route))
  }

  // MARK: What a held client tells

  fileprivate func originWasReached(by client: HeldClient) {
    if held.pass(client.packet) { judge(client.packet.id, .accept) }
    client.wait(Self.patience, on: shard.loop)
  }

  fileprivate func tell(_ client: HeldClient, _ verdict: PacketVerdict) {
    if held.end(client.packet, verdict) { judge(client.packet.id, verdict) }
  }

  fileprivate func didEnd(_ client: HeldClient) {
    tell(client, .drop)
    if client.hasLeft { leaving -= 1 }
    shard.heldConnectionDidEnd()
  }

  fileprivate func giveUp(_ client: HeldClient) {
    if held.forget(client.packet) { judge(client.packet.id, .drop) }
    guard client.hasTunnel else { return }
    leaving += 1
    client.leave()
  }
}

/// The client's end of a tunnel as long as the gate holds its connection: nobody is there. Loop-bound.
final class HeldClient {
  let client: Client
  let packet: HeldPacket
  private unowned let gate: ConnectionGate
  /// Until it is recorded, or goes on with the connection.
  private var tunnel: ForwardedTunnel?
  private var timer: Timer?
  private(set) var hasLeft = false

  fileprivate init(_ client: Client, packet: HeldPacket, gate: ConnectionGate) {
    self.client = client
    self.packet = packet
    self.gate = gate
  }

  var hasTunnel: Bool { tunnel != nil }

  func recordSoFar(at instant: MonotonicInstant) -> ExchangeRecord? { tunnel?.recordSoFar(at: instant) }

  fileprivate func begin(_ tunnel: ForwardedTunnel) {
    self.tunnel = tunnel
    tunnel.begin()
  }

  /// The connection is accepted: its own end takes over.
  func takeTunnel() -> ForwardedTunnel? {
    timer?.cancel()
    return tunnel.take()
  }

  fileprivate func wait(_ limit: Duration, on loop: EventLoop) {
    let timer = Timer(loop: loop) { [unowned self] in gate.giveUp(self) }
    timer.start(after: limit)
    self.timer = timer
  }

  fileprivate func leave() {
    timer?.cancel()
    hasLeft = true
    tunnel?.clientDidLeave(.left)
  }

  /// The errors that the kernel, and the network, would have told the program.
  private func verdict(on error: TransportError) -> PacketVerdict {
    switch error.kind {
    case .unreachable:
      return packet.flow.destination.source == nil ? .noRoute : .hostUnreachable
    case .timedOut, .cancelled:
      return .drop
    case .nameNotFound, .resolverFailure, .refused, .reset, .closed, .tooManyFiles, .addressInUse, .addressNotAvailable,
      .permissionDenied, .protocolViolation, .headTooLarge, .transferCoding, .streamReset, .certificate, .alert,
      .tunnelRefused, .proxyAuthenticationRequired, .loopDetected, .destinationProhibited, .lengthRequired, .other:
      return .refuse
    }
  }
}

extension HeldClient: TunnelClient {
  func originWasReached() -> Bool {
    gate.originWasReached(by: self)
    return false
  }

  func tunnelDidFail(_ error: TransportError, head: RequestHead?) {
    gate.tell(self, verdict(on: error))
  }

  func exchangeDidEnd() {
    tunnel = nil
    gate.didEnd(self)
  }

  // MARK: Nobody is there

  var interceptable: ClientOpening? { nil }
  var bufferedBytes: Int { 0 }
  var http2: ClientStreamDetails? { nil }
  func tunnelDidOpen() -> [UInt8] { [] }
  func lose(because departure: Departure) {}
  func wait(_ limit: Duration?) {}
  func relay(_ bytes: Span<UInt8>) -> Demand { .pause }
  func endRelay() {}
  func passOn(_ failure: PassedFailure) {}
  func pauseReading() {}
  func resumeReading() {}
  func tcpHistory(since start: TCPSample, at now: MonotonicInstant) -> TCPHistory? { nil }
  func beginTCPHistory(at now: MonotonicInstant) -> TCPSample {
    TCPSample(instant: now, statistics: .unknown, isPaused: false)
  }
  func engage(_ engagement: Engagement, at instant: MonotonicInstant?) {}
}
