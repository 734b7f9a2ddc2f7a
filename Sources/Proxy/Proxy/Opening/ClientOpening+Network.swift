internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// Programs in a network of their own. The connection goes on as after a CONNECT to its own address.
extension ClientOpening {
  /// Call it once the connection has started.
  func begin(toward address: SocketAddress, at instant: MonotonicInstant) {
    let (draft, route) = client.opening(toward: address, at: instant)
    if draft.record.failure != nil {
      shard.recordLocal(draft, at: .now)
      link.reset()
      return didClose()
    }
    wait(nil)
    openTunnel(ForwardedTunnel(connection: self, shard: shard, draft: draft, target: route))
  }
}

extension Client {
  private static let nameService: UInt16 = 53

  /// A program connects to `address`: where that leads, and the record, which has a failure if it may not go there.
  func opening(toward address: SocketAddress, at instant: MonotonicInstant) -> (RecordDraft, Route) {
    // Long answers to questions for names come by TCP (RFC 7766).
    let destination = address.port == Self.nameService ? shard.nameServer ?? address : address
    let route = Route(host: destination.host, port: destination.port, reach: reach)
    let draft = newRecord(RequestHead.connect(to: route), began: instant, at: instant)
    draft.record.lookup = shard.knownNames.take(destination.host, at: instant)
    // The user has named the server that is asked instead.
    let isNamedServer = address.port == Self.nameService && shard.nameServer != nil
    draft.record.failure =
      isNamedServer ? nil : refusal(ofConnectionTo: route, lookedUpAs: shard.knownNames.name(of: destination.host))
    return (draft, route)
  }
}
