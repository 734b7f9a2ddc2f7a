extension UpstreamConnection {
  /// The current purpose of a connection that stands, as a value: what it carries, and how it ends.
  ///
  /// Each event has its own result type, so that the caller's switch holds nothing impossible. The connection around it has the
  /// link, the timer and the task, and carries out the answers.
  struct StateMachine: ~Copyable {
    private enum State {
      /// Stands, and has carried nothing.
      case fresh
      case idle
      case exchanging(UpstreamExchange)
      /// A response head has come, and the task has not decided what follows.
      case deciding(UpstreamExchange, HeldResponse)
      /// The rest of a response that is not the task's answer is read, so that the task's next exchange can have the connection.
      case draining(UpstreamExchange, left: UInt64)
      case streaming(outputEnded: Bool)
      case closed
    }

    private var state = State.fresh
    /// The peer has ended its direction. In most states that ends the connection at once.
    private(set) var inputEnded = false
    /// A decision that came before the listener had returned from the exchange's head.
    private var earlyDecision: ResponseDecision?
    /// The piece that completes the body of the exchange, which has a length. It waits for the end of its source: a client that
    /// sends more than it announced has made no request, and the origin must not get one (RFC 9113 8.1.1).
    private var lastPiece: [UInt8]?

    // MARK: Questions

    /// The exchange on the connection, whatever its response is waiting for.
    var exchange: UpstreamExchange? {
      switch state {
      case .exchanging(let exchange), .deciding(let exchange, _), .draining(let exchange, _): exchange
      case .fresh, .idle, .streaming, .closed: nil
      }
    }

    /// The exchange whose request is sent and whose response is passed on.
    var activeExchange: UpstreamExchange? {
      switch state {
      case .exchanging(let exchange): exchange
      case .fresh, .idle, .deciding, .draining, .streaming, .closed: nil
      }
    }

    var isDeciding: Bool {
      switch state {
      case .deciding: true
      case .fresh, .idle, .exchanging, .draining, .streaming, .closed: false
      }
    }

    var isStreaming: Bool {
      switch state {
      case .streaming: true
      case .fresh, .idle, .exchanging, .deciding, .draining, .closed: false
      }
    }

    /// Whether neither direction of a stream has ended: another task could have the connection.
    var streamIsUntouched: Bool {
      switch state {
      case .streaming(let outputEnded): !outputEnded && !inputEnded
      case .fresh, .idle, .exchanging, .deciding, .draining, .closed: false
      }
    }

    /// Whether both directions of a stream have ended.
    var streamIsComplete: Bool {
      switch state {
      case .streaming(let outputEnded): outputEnded && inputEnded
      case .fresh, .idle, .exchanging, .deciding, .draining, .closed: false
      }
    }

    /// The phase that an error now belongs to.
    var reached: TransportError.Phase {
      switch state {
      case .streaming, .deciding, .draining: .receive
      case .exchanging(let exchange): exchange.reached
      case .fresh, .idle, .closed: .send
      }
    }

    // MARK: Exchanges

    mutating func begin(_ exchange: UpstreamExchange) {
      switch state {
      case .fresh, .idle:
        state = .exchanging(exchange)
        earlyDecision = nil
      case .exchanging, .deciding, .draining, .streaming, .closed:
        preconditionFailure("an exchange begins on a connection that stands and carries none")
      }
    }

    /// Keeps the piece of a body with a length if it is the last one. Answers whether it is.
    mutating func holdIfLast(_ piece: [UInt8]) -> Bool {
      guard let exchange else { return false }
      let left = exchange.bodyRemaining - UInt64(lastPiece?.count ?? 0)
      precondition(UInt64(piece.count) <= left, "a body source gave more than the length it promised")
      guard UInt64(piece.count) == left else { return false }
      lastPiece = piece
      return true
    }

    /// The source has ended: the last piece may go.
    mutating func takeLastPiece() -> [UInt8]? { lastPiece.take() }

    /// Lets `body` note the progress of the exchange. Does nothing if there is no exchange.
    mutating func note(_ body: (inout UpstreamExchange) -> Void) {
      switch state {
      case .exchanging(var exchange):
        body(&exchange)
        state = .exchanging(exchange)
      case .deciding(var exchange, let held):
        body(&exchange)
        state = .deciding(exchange, held)
      case .draining(var exchange, let left):
        body(&exchange)
        state = .draining(exchange, left: left)
      case .fresh, .idle, .streaming, .closed:
        break
      }
    }

    /// The task decides later: the response is held. Answers whether the response still matters: the listener may have cancelled.
    mutating func hold(_ response: HeldResponse) -> Bool {
      switch state {
      case .exchanging(let exchange):
        state = .deciding(exchange, response)
        return true
      case .fresh, .idle, .deciding, .draining, .streaming, .closed:
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
      case .fresh, .idle, .draining, .streaming, .closed:
        return nil
      }
    }

    /// The held response is the task's answer.
    mutating func proceed() {
      switch state {
      case .deciding(let exchange, _): state = .exchanging(exchange)
      case .fresh, .idle, .exchanging, .draining, .streaming, .closed:
        preconditionFailure("a response goes on that was held")
      }
    }

    /// The response is not the task's answer: at most `left` more bytes of it are read.
    mutating func drain(left: UInt64) {
      switch state {
      case .deciding(let exchange, _), .draining(let exchange, _): state = .draining(exchange, left: left)
      case .fresh, .idle, .exchanging, .streaming, .closed:
        preconditionFailure("what is drained is a response that was held")
      }
    }

    /// The exchange is over, and the connection may carry another.
    mutating func idle() {
      switch state {
      case .exchanging, .deciding, .draining:
        state = .idle
        lastPiece = nil
      case .fresh, .idle, .streaming, .closed:
        preconditionFailure("a connection idles after an exchange")
      }
    }

    // MARK: Streams

    mutating func beginStream() {
      switch state {
      case .fresh, .exchanging: state = .streaming(outputEnded: false)
      case .idle, .deciding, .draining, .streaming, .closed:
        preconditionFailure("a stream begins on a connection that has carried nothing, or by an upgrade")
      }
    }

    /// Our direction of the stream ends. Answers whether that is news.
    mutating func endStreamOutput() -> Bool {
      switch state {
      case .streaming(outputEnded: false):
        state = .streaming(outputEnded: true)
        return true
      case .fresh, .streaming(outputEnded: true), .idle, .exchanging, .deciding, .draining, .closed:
        return false
      }
    }

    // MARK: What the link tells

    enum InputAction {
      case exchange
      case stream
      /// At most the bytes that had been read when reading was paused.
      case hold(HeldResponse)
      case drain(left: UInt64)
      /// The response was complete already, and the request is not.
      case noteExcess
      /// No request is in flight: the connection's framing can no longer be trusted.
      case leaveStore
    }

    /// Bytes came.
    var inputAction: InputAction {
      switch state {
      case .exchanging(let exchange): exchange.isAnsweredEarly ? .noteExcess : .exchange
      case .streaming: .stream
      case .deciding(_, let held): .hold(held)
      case .draining(_, let left): .drain(left: left)
      case .idle: .leaveStore
      case .fresh, .closed:
        preconditionFailure("a link delivered bytes before its first task or after it was closed")
      }
    }

    enum InputEndAction: Equatable {
      case endExchange
      /// The end is handled once the task has decided.
      case wait
      case endDraining
      /// The task hears of it: our direction goes on.
      case tell
      case leaveStore
    }

    /// The peer has ended its direction.
    mutating func inputDidEnd() -> InputEndAction {
      inputEnded = true
      switch state {
      case .exchanging(let exchange): return exchange.isAnsweredEarly ? .tell : .endExchange
      case .deciding: return .wait
      case .draining: return .endDraining
      case .streaming: return .tell
      case .idle: return .leaveStore
      case .fresh, .closed:
        preconditionFailure("a link ended before its first task or after it was closed")
      }
    }

    enum OutputAction: Equatable {
      case exchange(requestEnded: Bool)
      case stream
      /// The bytes belong to a handshake, or concern nobody.
      case nothing
    }

    /// The kernel took bytes.
    var outputAction: OutputAction {
      switch state {
      case .exchanging(let exchange): .exchange(requestEnded: exchange.requestEnded)
      case .streaming: .stream
      case .fresh, .idle, .deciding, .draining, .closed: .nothing
      }
    }

    enum FailAction: Equatable {
      case fail
      case endDraining
      case leaveStore
      case close
    }

    /// The link has failed.
    var failAction: FailAction {
      switch state {
      case .exchanging, .deciding, .streaming: .fail
      case .draining: .endDraining
      case .idle: .leaveStore
      case .fresh, .closed: .close
      }
    }

    enum TimeoutAction: Equatable {
      case endDraining
      case failForResponse
      case failForSilence(in: TransportError.Phase)
    }

    /// Nothing has come, or gone, for as long as the connection waits.
    var timeoutAction: TimeoutAction {
      switch state {
      case .draining: .endDraining
      case .exchanging(let exchange) where exchange.awaitsResponse: .failForResponse
      case .fresh, .idle, .exchanging, .deciding, .streaming, .closed: .failForSilence(in: reached)
      }
    }

    // MARK: The end

    /// The connection ends.
    mutating func close() {
      state = .closed
    }
  }
}
