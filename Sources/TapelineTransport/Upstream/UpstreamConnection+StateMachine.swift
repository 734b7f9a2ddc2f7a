extension UpstreamConnection {
  /// The current purpose of a connection to an origin, as a value: how it is opened, what it carries, how it ends.
  ///
  /// Each event has its own result type, so that the caller's switch holds nothing impossible. The connection around it has the
  /// link, the timer and the task, and carries out the answers.
  struct StateMachine: ~Copyable {
    private enum State {
      case unconnected
      case connecting
      /// The upstream proxy was asked for a tunnel. Once it has challenged us, the rest of its response is read.
      case tunnelling(isAuthorized: Bool, isChallenged: Bool)
      /// The TLS handshake is in progress: for the task, or ahead of one.
      case securing
      /// Open, has carried nothing, and belongs to no task.
      case prepared
      case idle
      case exchanging(UpstreamExchange)
      /// A response head has come, and the task has not decided what follows.
      case deciding(UpstreamExchange, HeldResponse)
      /// The rest of a response that is not the task's answer is read, so that the task's next exchange can have the connection.
      case draining(UpstreamExchange, left: UInt64)
      case streaming(outputEnded: Bool)
      /// A handshake ahead of any task has failed: the first task is told why.
      case refused(TransportError)
      case closed
    }

    private var state = State.unconnected
    /// The peer has ended its direction. In most states that ends the connection at once.
    private(set) var inputEnded = false
    /// A decision that came before the listener had returned from the exchange's head.
    private var earlyDecision: ResponseDecision?
    /// The piece that completes the body of the exchange, which has a length. It waits for the end of its source: a client that
    /// sends more than it announced has made no request, and the origin must not get one (RFC 9113 8.1.1).
    private var lastPiece: [UInt8]?
    /// CONNECTs sent for the tunnel, those on earlier connections included.
    private(set) var tunnelAttempts: Int

    init(tunnelAttempts: Int = 0) {
      self.tunnelAttempts = tunnelAttempts
    }

    // MARK: Questions

    /// The exchange on the connection, whatever its response is waiting for.
    var exchange: UpstreamExchange? {
      switch state {
      case .exchanging(let exchange), .deciding(let exchange, _), .draining(let exchange, _): exchange
      case .unconnected, .connecting, .tunnelling, .securing, .prepared, .idle, .streaming, .refused, .closed: nil
      }
    }

    /// The exchange whose request is sent and whose response is passed on.
    var activeExchange: UpstreamExchange? {
      switch state {
      case .exchanging(let exchange): exchange
      case .unconnected, .connecting, .tunnelling, .securing, .prepared, .idle, .deciding, .draining, .streaming, .refused,
        .closed:
        nil
      }
    }

    var isDeciding: Bool {
      switch state {
      case .deciding: true
      case .unconnected, .connecting, .tunnelling, .securing, .prepared, .idle, .exchanging, .draining, .streaming, .refused,
        .closed:
        false
      }
    }

    var isSecuring: Bool {
      switch state {
      case .securing: true
      case .unconnected, .connecting, .tunnelling, .prepared, .idle, .exchanging, .deciding, .draining, .streaming, .refused,
        .closed:
        false
      }
    }

    /// Open, and belongs to no task.
    var isPrepared: Bool {
      switch state {
      case .prepared: true
      case .unconnected, .connecting, .tunnelling, .securing, .idle, .exchanging, .deciding, .draining, .streaming, .refused,
        .closed:
        false
      }
    }

    /// Whether a first task can have the connection, or the reason why it cannot be used.
    var awaitsFirstTask: Bool {
      switch state {
      case .prepared, .securing, .refused: true
      case .unconnected, .connecting, .tunnelling, .idle, .exchanging, .deciding, .draining, .streaming, .closed: false
      }
    }

    var isStreaming: Bool {
      switch state {
      case .streaming: true
      case .unconnected, .connecting, .tunnelling, .securing, .prepared, .idle, .exchanging, .deciding, .draining, .refused,
        .closed:
        false
      }
    }

    /// Whether neither direction of a stream has ended: another task could have the connection.
    var streamIsUntouched: Bool {
      switch state {
      case .streaming(let outputEnded): !outputEnded && !inputEnded
      case .unconnected, .connecting, .tunnelling, .securing, .prepared, .idle, .exchanging, .deciding, .draining, .refused,
        .closed:
        false
      }
    }

    /// Whether both directions of a stream have ended.
    var streamIsComplete: Bool {
      switch state {
      case .streaming(let outputEnded): outputEnded && inputEnded
      case .unconnected, .connecting, .tunnelling, .securing, .prepared, .idle, .exchanging, .deciding, .draining, .refused,
        .closed:
        false
      }
    }

    /// Whether the request for the tunnel told the upstream proxy who we are.
    var tunnelIsAuthorized: Bool {
      switch state {
      case .tunnelling(let isAuthorized, _): isAuthorized
      case .unconnected, .connecting, .securing, .prepared, .idle, .exchanging, .deciding, .draining, .streaming, .refused,
        .closed:
        false
      }
    }

    /// The phase that an error now belongs to.
    var reached: TransportError.Phase {
      switch state {
      case .unconnected, .connecting, .tunnelling: .connect
      case .securing: .tls
      case .streaming, .deciding, .draining: .receive
      case .exchanging(let exchange): exchange.reached
      case .prepared, .idle, .refused, .closed: .send
      }
    }

    // MARK: Coming to stand

    mutating func connect() {
      switch state {
      case .unconnected: state = .connecting
      case .connecting, .tunnelling, .securing, .prepared, .idle, .exchanging, .deciding, .draining, .streaming, .refused,
        .closed:
        preconditionFailure("a connection is opened once")
      }
    }

    /// A CONNECT goes out: the first, or a better one after a challenge.
    mutating func requestTunnel(isAuthorized: Bool) {
      switch state {
      case .connecting, .tunnelling(_, isChallenged: true):
        tunnelAttempts += 1
        state = .tunnelling(isAuthorized: isAuthorized, isChallenged: false)
      case .unconnected, .tunnelling, .securing, .prepared, .idle, .exchanging, .deciding, .draining, .streaming, .refused,
        .closed:
        preconditionFailure("a tunnel is asked for on a connection that has carried nothing")
      }
    }

    /// The upstream proxy asks who we are, and can be told.
    mutating func tunnelWasChallenged() {
      switch state {
      case .tunnelling(let isAuthorized, _): state = .tunnelling(isAuthorized: isAuthorized, isChallenged: true)
      case .unconnected, .connecting, .securing, .prepared, .idle, .exchanging, .deciding, .draining, .streaming, .refused,
        .closed:
        preconditionFailure("a challenge answers a CONNECT")
      }
    }

    /// TLS begins.
    mutating func secure() {
      switch state {
      case .connecting, .tunnelling, .prepared: state = .securing
      case .unconnected, .securing, .idle, .exchanging, .deciding, .draining, .streaming, .refused, .closed:
        preconditionFailure("TLS begins where no byte has been sent")
      }
    }

    /// The connection no longer belongs to a task: a handshake ahead of any task has ended, or a stream that moved nothing was
    /// given up.
    mutating func prepare() {
      switch state {
      case .securing, .streaming(outputEnded: false): state = .prepared
      case .unconnected, .connecting, .tunnelling, .prepared, .idle, .exchanging, .deciding, .draining, .streaming, .refused,
        .closed:
        preconditionFailure("a connection is prepared that has carried nothing")
      }
    }

    /// After `close`: the handshake ahead of any task has failed, and the first task hears of it.
    mutating func refuse(_ error: TransportError) {
      switch state {
      case .closed: state = .refused(error)
      case .unconnected, .connecting, .tunnelling, .securing, .prepared, .idle, .exchanging, .deciding, .draining, .streaming,
        .refused:
        preconditionFailure("a connection is refused once its link is gone")
      }
    }

    enum FirstUse {
      /// The connection is ready.
      case begin
      /// The handshake has not ended yet.
      case awaitHandshake
      case fail(TransportError)
    }

    /// A first task takes the connection.
    mutating func use() -> FirstUse {
      switch state {
      case .prepared: return .begin
      case .securing: return .awaitHandshake
      case .refused(let error):
        state = .closed
        return .fail(error)
      case .unconnected, .connecting, .tunnelling, .idle, .exchanging, .deciding, .draining, .streaming, .closed:
        preconditionFailure("a connection was used as if it had carried nothing")
      }
    }

    // MARK: Exchanges

    mutating func begin(_ exchange: UpstreamExchange) {
      switch state {
      case .connecting, .tunnelling, .securing, .prepared, .idle:
        state = .exchanging(exchange)
        earlyDecision = nil
      case .unconnected, .exchanging, .deciding, .draining, .streaming, .refused, .closed:
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
      case .unconnected, .connecting, .tunnelling, .securing, .prepared, .idle, .streaming, .refused, .closed:
        break
      }
    }

    /// The task decides later: the response is held. Answers whether the response still matters: the listener may have cancelled.
    mutating func hold(_ response: HeldResponse) -> Bool {
      switch state {
      case .exchanging(let exchange):
        state = .deciding(exchange, response)
        return true
      case .unconnected, .connecting, .tunnelling, .securing, .prepared, .idle, .deciding, .draining, .streaming, .refused,
        .closed:
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
      case .unconnected, .connecting, .tunnelling, .securing, .prepared, .idle, .draining, .streaming, .refused, .closed:
        return nil
      }
    }

    /// The held response is the task's answer.
    mutating func proceed() {
      switch state {
      case .deciding(let exchange, _): state = .exchanging(exchange)
      case .unconnected, .connecting, .tunnelling, .securing, .prepared, .idle, .exchanging, .draining, .streaming, .refused,
        .closed:
        preconditionFailure("a response goes on that was held")
      }
    }

    /// The response is not the task's answer: at most `left` more bytes of it are read.
    mutating func drain(left: UInt64) {
      switch state {
      case .deciding(let exchange, _), .draining(let exchange, _): state = .draining(exchange, left: left)
      case .unconnected, .connecting, .tunnelling, .securing, .prepared, .idle, .exchanging, .streaming, .refused, .closed:
        preconditionFailure("what is drained is a response that was held")
      }
    }

    /// The exchange is over, and the connection may carry another.
    mutating func idle() {
      switch state {
      case .exchanging, .deciding, .draining:
        state = .idle
        lastPiece = nil
      case .unconnected, .connecting, .tunnelling, .securing, .prepared, .idle, .streaming, .refused, .closed:
        preconditionFailure("a connection idles after an exchange")
      }
    }

    // MARK: Streams

    mutating func beginStream() {
      switch state {
      case .connecting, .tunnelling, .securing, .prepared, .exchanging: state = .streaming(outputEnded: false)
      case .unconnected, .idle, .deciding, .draining, .streaming, .refused, .closed:
        preconditionFailure("a stream begins on a connection that has carried nothing, or by an upgrade")
      }
    }

    /// Our direction of the stream ends. Answers whether that is news.
    mutating func endStreamOutput() -> Bool {
      switch state {
      case .streaming(outputEnded: false):
        state = .streaming(outputEnded: true)
        return true
      case .streaming(outputEnded: true), .unconnected, .connecting, .tunnelling, .securing, .prepared, .idle, .exchanging,
        .deciding,
        .draining, .refused, .closed:
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
      case tunnelResponse
      /// The response was complete already, and the request is not.
      case noteExcess
      /// No request is in flight: the connection's framing can no longer be trusted.
      case leaveStore
      case endPrepared
    }

    /// Bytes came.
    var inputAction: InputAction {
      switch state {
      case .exchanging(let exchange): exchange.isAnsweredEarly ? .noteExcess : .exchange
      case .streaming: .stream
      case .deciding(_, let held): .hold(held)
      case .draining(_, let left): .drain(left: left)
      case .tunnelling: .tunnelResponse
      case .idle: .leaveStore
      case .prepared: .endPrepared
      case .unconnected, .connecting, .securing, .refused, .closed:
        preconditionFailure("a link delivered bytes before it stood or after it was closed")
      }
    }

    enum InputEndAction: Equatable {
      case endExchange
      /// The end is handled once the task has decided.
      case wait
      case endDraining
      case requestTunnelElsewhere
      case failTunnel
      /// The task hears of it: our direction goes on.
      case tell
      case leaveStore
      case endPrepared
    }

    /// The peer has ended its direction.
    mutating func inputDidEnd() -> InputEndAction {
      inputEnded = true
      switch state {
      case .exchanging(let exchange): return exchange.isAnsweredEarly ? .tell : .endExchange
      case .deciding: return .wait
      case .draining: return .endDraining
      case .tunnelling(_, isChallenged: true): return .requestTunnelElsewhere
      case .tunnelling(_, isChallenged: false): return .failTunnel
      case .streaming: return .tell
      case .idle: return .leaveStore
      case .prepared: return .endPrepared
      case .unconnected, .connecting, .securing, .refused, .closed:
        preconditionFailure("a link ended before it stood or after it was closed")
      }
    }

    enum OutputAction: Equatable {
      case exchange(requestEnded: Bool)
      case stream
      /// The bytes belong to a handshake, or concern nobody.
      case nothing
      /// The bytes were for the upstream proxy, and are not counted.
      case uncounted
    }

    /// The kernel took bytes.
    var outputAction: OutputAction {
      switch state {
      case .exchanging(let exchange): .exchange(requestEnded: exchange.requestEnded)
      case .streaming: .stream
      case .tunnelling: .uncounted
      case .unconnected, .connecting, .securing, .prepared, .idle, .deciding, .draining, .refused, .closed: .nothing
      }
    }

    enum FailAction: Equatable {
      case fail
      case failHandshake
      case endDraining
      case leaveStore
      case endPrepared
      case close
    }

    /// The link has failed.
    var failAction: FailAction {
      switch state {
      case .exchanging, .deciding, .streaming, .tunnelling: .fail
      case .securing: .failHandshake
      case .draining: .endDraining
      case .idle: .leaveStore
      case .prepared: .endPrepared
      case .unconnected, .connecting, .refused, .closed: .close
      }
    }

    enum TimeoutAction: Equatable {
      case failHandshake
      case failConnecting
      case failTunnel
      case endDraining
      case failForResponse
      case failForSilence(in: TransportError.Phase)
    }

    /// Nothing has come, or gone, for as long as the connection waits.
    var timeoutAction: TimeoutAction {
      switch state {
      case .securing: .failHandshake
      case .connecting: .failConnecting
      case .tunnelling: .failTunnel
      case .draining: .endDraining
      case .exchanging(let exchange) where exchange.awaitsResponse: .failForResponse
      case .unconnected, .prepared, .idle, .exchanging, .deciding, .streaming, .refused, .closed: .failForSilence(in: reached)
      }
    }

    // MARK: The end

    /// The connection ends.
    mutating func close() {
      state = .closed
    }
  }
}
