internal import TapelineLoop
internal import TapelineTime

extension ClientConnection: ChannelHandler {
  func channel(_ channel: Channel, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) {
    switch phase {
    case .awaitingRequest, .answered:
      parse(bytes, at: instant)
    case .exchanging(let exchange):
      if exchange.requestEnded { keep(bytes) } else { parse(bytes, at: instant) }
      if case .exchanging(let exchange) = phase { waitForClient(in: exchange) }
    case .tunnelling(let tunnel):
      tunnel.receiveFromClient(bytes, at: instant)
    case .closed:
      break
    }
  }

  /// The client will send no more. Inside an exchange that is a hang-up: a client that wants its answer keeps its side open.
  func channelDidReceiveEnd(_ channel: Channel, at instant: MonotonicInstant) {
    if case .tunnelling(let tunnel) = phase {
      tunnel.clientDidEnd()
    } else {
      lose(because: .clientGone(in: "request"))
    }
  }

  func channel(_ channel: Channel, didWrite count: Int, at instant: MonotonicInstant) {
    switch phase {
    case .exchanging(let exchange):
      waitForClient(in: exchange)
      exchange.didDeliver(at: instant)
    case .tunnelling(let tunnel): tunnel.didDeliver(at: instant)
    case .awaitingRequest, .answered, .closed: break
    }
  }

  func channelDidDrain(_ channel: Channel) {
    switch phase {
    case .exchanging(let exchange): exchange.clientCanTakeMore()
    case .tunnelling(let tunnel): tunnel.clientCanTakeMore()
    case .awaitingRequest, .answered, .closed: break
    }
  }

  func channel(_ channel: Channel, didFail error: TransportError) {
    lose(because: .clientGone(in: "receive"))
  }
}
