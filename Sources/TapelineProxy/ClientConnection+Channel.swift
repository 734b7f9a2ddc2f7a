internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime
internal import TapelineTransport

extension ClientConnection: SecureChannelHandler {
  func channelDidReceive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    switch phase {
    case .awaitingRequest:
      if bytes[0] == Greeting.tlsByte, isFresh {
        beginGreeting(bytes, at: instant)
      } else if input.isEmpty {
        parse(bytes, at: instant)
      } else {
        // One read of ciphertext can bring two pieces of plaintext: the second one waits until the first is parsed.
        keep(bytes)
      }
    case .answered:
      parse(bytes, at: instant)
    case .gathering:
      keep(bytes)
    case .exchanging(let exchange):
      if exchange.requestEnded { keep(bytes) } else { parse(bytes, at: instant) }
      if case .exchanging(let exchange) = phase { waitForClient(in: exchange) }
    case .tunnelling(let tunnel):
      noteLifeOfStream()
      tunnel.receiveFromClient(bytes, at: instant)
    case .upgraded(let exchange):
      noteLifeOfStream()
      exchange.relayFromClient(bytes, at: instant)
    case .greeting:
      receiveGreeting(bytes, at: instant)
    case .securing:
      preconditionFailure("a secure channel delivers nothing before it is secure")
    case .closed:
      break
    }
  }

  /// The client will send no more. Inside an exchange this is a hang-up: a client that wants its answer keeps its side open.
  func channelDidReceiveEnd(at instant: MonotonicInstant) {
    switch phase {
    case .tunnelling(let tunnel): tunnel.clientDidEnd()
    case .upgraded(let exchange): exchange.clientDidEnd()
    case .awaitingRequest, .exchanging, .greeting, .securing, .gathering, .answered, .closed:
      suspectRefusal(at: instant)
      lose(because: .left)
    }
  }

  func channelDidWrite(_ count: Int, at instant: MonotonicInstant) {
    switch phase {
    case .exchanging(let exchange):
      waitForClient(in: exchange)
      exchange.didDeliver(at: instant)
    case .tunnelling(let tunnel):
      noteLifeOfStream()
      tunnel.didDeliver(at: instant)
    case .upgraded(let exchange):
      noteLifeOfStream()
      exchange.didDeliver(at: instant)
    case .awaitingRequest, .greeting, .securing, .gathering, .answered, .closed: break
    }
  }

  func channelDidDrain() {
    switch phase {
    case .exchanging(let exchange), .upgraded(let exchange): exchange.clientCanTakeMore()
    case .tunnelling(let tunnel): tunnel.clientCanTakeMore()
    case .awaitingRequest, .greeting, .securing, .gathering, .answered, .closed: break
    }
  }

  func channelDidFail(_ error: TransportError) {
    switch phase {
    case .securing(let engine):
      handshakeDidFail(error, of: engine)
    case .awaitingRequest, .exchanging, .tunnelling, .upgraded, .greeting, .gathering, .answered, .closed:
      if case .alert(let name) = error.kind { suspectRefusal(at: .now, alert: name) }
      lose(because: .left)
    }
  }

  func channelDidSecure(_ parameters: TLSParameters, at instant: MonotonicInstant) {
    handshakeDidEnd(parameters, at: instant)
  }
}
