extension UpstreamStream {
  /// A task's stream, as a value: from its place in the line to its end.
  struct StateMachine: ~Copyable {
    private enum State {
      /// In line for a stream: the origin limits how many are open.
      case waiting
      case exchanging(UpstreamExchange)
      /// A response head has come, and the task has not decided what follows.
      case deciding(UpstreamExchange, HeldResponse)
      /// The task has gone on without the response: a little more of it is read, which is cheaper for the origin than a reset.
      case draining(left: UInt64)
      /// Bytes both ways (RFC 8441 5).
      case streaming(inputEnded: Bool, outputEnded: Bool)
      case ended
    }

    private var state = State.waiting
    /// A decision that came before the listener had returned from the exchange's head.
    private var earlyDecision: ResponseDecision?

    // MARK: Questions

    var exchange: UpstreamExchange? {
      switch state {
      case .exchanging(let exchange), .deciding(let exchange, _): exchange
      case .waiting, .draining, .streaming, .ended: nil
      }
    }

    var isWaiting: Bool {
      switch state {
      case .waiting: true
      case .exchanging, .deciding, .draining, .streaming, .ended: false
      }
    }

    var isExchanging: Bool {
      switch state {
      case .exchanging: true
      case .waiting, .deciding, .draining, .streaming, .ended: false
      }
    }

    var isStreaming: Bool {
      switch state {
      case .streaming: true
      case .waiting, .exchanging, .deciding, .draining, .ended: false
      }
    }

    /// The phase that an error now belongs to.
    var reached: TransportError.Phase {
      switch state {
      case .waiting, .ended: .send
      case .exchanging(let exchange): exchange.reached
      case .deciding, .draining, .streaming: .receive
      }
    }

    // MARK: The exchange

    /// The stream has its number.
    mutating func open(_ exchange: UpstreamExchange) {
      switch state {
      case .waiting: state = .exchanging(exchange)
      case .exchanging, .deciding, .draining, .streaming, .ended: preconditionFailure("a stream is opened once")
      }
    }

    /// Lets `body` note the progress of the exchange. Does nothing if there is no exchange.
    mutating func note(_ body: (inout UpstreamExchange) -> Void) {
      switch state {
      case .exchanging(var exchange):
        body(&exchange)
        state = .exchanging(exchange)
      case .deciding(var exchange, let held):
        body(&exchange)
        state = .deciding(exchange, held)
      case .waiting, .draining, .streaming, .ended:
        break
      }
    }

    /// The task decides later: the response is held. Answers whether the response still matters: the listener may have cancelled.
    mutating func hold(_ response: HeldResponse) -> Bool {
      switch state {
      case .exchanging(let exchange):
        state = .deciding(exchange, response)
        return true
      case .waiting, .deciding, .draining, .streaming, .ended:
        return false
      }
    }

    /// The decision that had come before the response was held.
    mutating func takeEarlyDecision() -> ResponseDecision? { earlyDecision.take() }

    /// The task has decided. Answers the held response; `nil` if no response is held yet, and then the decision is kept until one
    /// is.
    mutating func decide(_ decision: ResponseDecision) -> HeldResponse? {
      switch state {
      case .deciding(_, let held):
        return held
      case .exchanging:
        earlyDecision = decision
        return nil
      case .waiting, .draining, .streaming, .ended:
        return nil
      }
    }

    /// The held response is the task's answer.
    mutating func proceed() {
      switch state {
      case .deciding(let exchange, _): state = .exchanging(exchange)
      case .waiting, .exchanging, .draining, .streaming, .ended: preconditionFailure("a response goes on that was held")
      }
    }

    /// The task goes on without the response: at most `left` more bytes of it are read.
    mutating func drain(left: UInt64) {
      switch state {
      case .deciding, .draining: state = .draining(left: left)
      case .waiting, .exchanging, .streaming, .ended: preconditionFailure("what is drained is a response that was held")
      }
    }

    // MARK: Streams

    mutating func becomeStream() {
      switch state {
      case .exchanging: state = .streaming(inputEnded: false, outputEnded: false)
      case .waiting, .deciding, .draining, .streaming, .ended: preconditionFailure("a stream of bytes begins with a response")
      }
    }

    /// Our direction of the stream ends. Answers whether that is news.
    mutating func endStreamOutput() -> Bool {
      switch state {
      case .streaming(let inputEnded, outputEnded: false):
        state = .streaming(inputEnded: inputEnded, outputEnded: true)
        return true
      case .streaming(_, outputEnded: true), .waiting, .exchanging, .deciding, .draining, .ended:
        return false
      }
    }

    mutating func endStreamInput() {
      switch state {
      case .streaming(_, let outputEnded): state = .streaming(inputEnded: true, outputEnded: outputEnded)
      case .waiting, .exchanging, .deciding, .draining, .ended: preconditionFailure("a stream of bytes ends")
      }
    }

    /// Whether both directions of a stream of bytes have ended.
    var streamIsComplete: Bool {
      switch state {
      case .streaming(let inputEnded, let outputEnded): inputEnded && outputEnded
      case .waiting, .exchanging, .deciding, .draining, .ended: false
      }
    }

    // MARK: What the connection tells

    enum InputAction {
      case deliver
      case hold(HeldResponse)
      case drain(left: UInt64)
      case stream
      /// Nobody wants it.
      case drop
    }

    /// Content, trailers or the end came.
    var inputAction: InputAction {
      switch state {
      case .exchanging: .deliver
      case .deciding(_, let held): .hold(held)
      case .draining(let left): .drain(left: left)
      case .streaming: .stream
      case .ended: .drop
      case .waiting: preconditionFailure("a response comes on a stream that was opened")
      }
    }

    enum TimeoutAction: Equatable {
      case endDraining
      case failForResponse
      case failForSilence(in: TransportError.Phase)
    }

    /// Nothing has come, or gone, for as long as the stream waits.
    var timeoutAction: TimeoutAction {
      switch state {
      case .draining: .endDraining
      case .exchanging(let exchange) where exchange.awaitsResponse: .failForResponse
      case .waiting, .exchanging, .deciding, .streaming, .ended: .failForSilence(in: reached)
      }
    }

    /// The stream is over, or nobody listens to it any more.
    mutating func end() {
      state = .ended
    }
  }
}
