internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// Programs in a network of their own. The connection goes on as after a CONNECT to its own address.
extension ClientConnection {
  private static let nameService: UInt16 = 53

  /// Call it once the connection has started.
  func begin(toward address: SocketAddress, at instant: MonotonicInstant) {
    // Long answers to questions for names come by TCP (RFC 7766).
    let destination = address.port == Self.nameService ? shard.nameServer ?? address : address
    let route = Route(host: destination.host, port: destination.port, reach: client.reach)
    let draft = client.newRecord(RequestHead.connect(to: route), began: instant, at: instant)
    draft.record.lookup = shard.knownNames.take(destination.host, at: instant)
    if let failure = client.refusal(ofConnectionTo: route) {
      draft.record.failure = failure
      shard.recordLocal(draft, at: .now)
      link.reset()
      return didClose()
    }
    wait(nil)
    openTunnel(TunnelTaskDelegate(connection: self, shard: shard, draft: draft, target: route))
  }
}
