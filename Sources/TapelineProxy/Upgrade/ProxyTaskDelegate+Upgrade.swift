internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// After a 101: bytes both ways, untouched, with back-pressure and half-close in each direction (RFC 9110 7.8).
extension ProxyTaskDelegate {
  /// Tells the client. From here on the connections carry no messages.
  func switchProtocols(_ head: ResponseHead) -> ResponseDisposition {
    guard case .none = reply else { return .cancel }
    var forwarding = forwarding(framing: .none, persists: true)
    forwarding.forwardsUpgrade = true
    link.withOutput { forwarding.append(head, into: &$0) }
    record.responseForwarding = forwarding
    reply = .upgraded
    persists = false
    return .proceed
  }

  func beginStream() {
    let isWebSocket = record.response?.fields.listContains(token: "websocket", in: .upgrade) ?? false
    stream = UpgradedStream(webSocketLimits: isWebSocket ? shard.configuration.webSocketLimits : nil)
    connection.exchangeDidUpgrade(self)
  }

  func relayFromClient(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    stream?.noteToServer(bytes, at: instant)
    if task?.send(bytes) == .pause { link.pauseReading() }
  }

  func relayFromOrigin(_ bytes: Span<UInt8>) -> Demand {
    stream?.noteToClient(bytes, at: task?.metrics.marks[.responseLastByte] ?? .now)
    link.write(bytes)
    return link.isAboveHighWater ? .pause : .more
  }

  func clientDidEnd() {
    stream?.clientDidEnd()
    task?.finishSending()
  }

  func note(_ stream: UpgradedStream) {
    record.adopt(stream)
    guard !record.isBrokenOff else { return }
    switch stream.dropper {
    case .toServer?: record.endedByClient = TransportError.Phase.receive.rawValue
    case .toClient?: record.failure = .webSocketDropped
    case nil: break
    }
  }
}

extension ExchangeRecord {
  /// Takes over what has passed after the 101.
  mutating func adopt(_ stream: UpgradedStream) {
    relayed = stream.relayed
    webSocketMessages = stream.messages
    webSocketMessageCount = stream.messageCount
  }
}
