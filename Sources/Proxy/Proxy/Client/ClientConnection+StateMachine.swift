internal import TapelineBase
internal import TapelineTime

extension ClientConnection {
  /// The current purpose of a client's connection, as a value: requests one at a time, or another protocol. It keeps the bytes
  /// that came too early.
  ///
  /// Each event has its own result type, so that the caller's switch holds nothing impossible. The connection around it has the
  /// link, the parser and the timer, and carries out the answers. The machine only hands out the exchanges and answers that it
  /// holds, and so is generic over them.
  struct StateMachine<Exchange, Answer>: ~Copyable {
    private enum State {
      /// No response is owed: a request may begin.
      case idle
      /// The head of a request has begun.
      case readingHead(since: MonotonicInstant)
      /// A request is being relayed and its response is owed.
      case exchanging(Exchange, HTTP1Exchange)
      /// We will answer ourselves, with data that is still being gathered. Content of the request is read and thrown away.
      case gathering(Answer)
      /// We have answered ourselves; the end of the request has not been read yet.
      case answered
      /// The exchange has switched protocols: bytes go both ways.
      case upgraded(Exchange)
      /// No longer ours: the channel may still be sending the last bytes.
      case closed
    }

    private var state = State.idle
    /// Bytes after the current request: at most a receive buffer.
    private var held: [UInt8] = []

    // MARK: Questions

    /// Whether a request may begin, or has begun and its head is incomplete.
    var awaitsRequest: Bool {
      switch state {
      case .idle, .readingHead: true
      case .exchanging, .gathering, .answered, .upgraded, .closed: false
      }
    }

    /// Whether a request may begin, and no byte of it has been read.
    var awaitsFirstByte: Bool {
      switch state {
      case .idle: true
      case .readingHead, .exchanging, .gathering, .answered, .upgraded, .closed: false
      }
    }

    /// When the first byte came of a request whose head is incomplete.
    var began: MonotonicInstant? {
      switch state {
      case .readingHead(let since): since
      case .idle, .exchanging, .gathering, .answered, .upgraded, .closed: nil
      }
    }

    /// The exchange that takes the content of the current request.
    var receiver: Exchange? {
      switch state {
      case .exchanging(let exchange, _): exchange
      case .idle, .readingHead, .gathering, .answered, .upgraded, .closed: nil
      }
    }

    /// Whether all of the current exchange's request has come; `nil` without an exchange of messages.
    var requestEnded: Bool? {
      switch state {
      case .exchanging(_, let message): message.requestEnded
      case .idle, .readingHead, .gathering, .answered, .upgraded, .closed: nil
      }
    }

    /// How content of the current response goes to the client.
    var passage: HTTP1Exchange.Passage {
      switch state {
      case .exchanging(_, let message): message.passage
      case .idle, .readingHead, .gathering, .answered, .upgraded, .closed: .none
      }
    }

    /// Whether what goes to the client now is neither framed in chunks nor ours.
    var passesAsItIs: Bool {
      switch state {
      case .exchanging(_, let message): message.passage == .plain
      case .idle, .readingHead, .gathering, .answered, .upgraded, .closed: false
      }
    }

    /// The current exchange, whatever it carries.
    var exchange: Exchange? {
      switch state {
      case .exchanging(let exchange, _), .upgraded(let exchange): exchange
      case .idle, .readingHead, .gathering, .answered, .closed: nil
      }
    }

    /// Whether the parser goes on after an event: not where other bytes than a message's follow.
    var parses: Bool {
      switch state {
      case .exchanging, .gathering, .answered: true
      case .idle, .readingHead, .upgraded, .closed: false
      }
    }

    // MARK: Bytes that came too early

    var holdsInput: Bool { !held.isEmpty }

    /// Keeps bytes that came after the current request.
    mutating func hold(_ bytes: Span<UInt8>) {
      held.append(bytes: bytes)
    }

    mutating func takeInput() -> [UInt8] {
      defer { held = [] }
      return held
    }

    // MARK: Requests

    /// The first byte of a request was read, and not its whole head.
    mutating func requestDidBegin(at instant: MonotonicInstant) {
      switch state {
      case .idle: state = .readingHead(since: instant)
      case .readingHead, .exchanging, .gathering, .answered, .upgraded, .closed:
        preconditionFailure("a request begins where one may begin")
      }
    }

    /// A request whose head is complete is relayed.
    mutating func forward(_ exchange: Exchange, _ message: HTTP1Exchange) {
      switch state {
      case .idle, .readingHead: state = .exchanging(exchange, message)
      case .exchanging, .gathering, .answered, .upgraded, .closed:
        preconditionFailure("a connection has one exchange at a time")
      }
    }

    /// A request is answered by us, later.
    mutating func gather(_ answer: Answer) {
      switch state {
      case .idle, .readingHead: state = .gathering(answer)
      case .exchanging, .gathering, .answered, .upgraded, .closed:
        preconditionFailure("a connection has one exchange at a time")
      }
    }

    /// The answer whose data is being gathered; `nil` if it is no longer wanted.
    var gathered: Answer? {
      switch state {
      case .gathering(let answer): answer
      case .idle, .readingHead, .exchanging, .answered, .upgraded, .closed: nil
      }
    }

    /// We have answered a request ourselves.
    mutating func answer() {
      switch state {
      case .idle, .readingHead, .gathering: state = .answered
      case .exchanging, .answered, .upgraded, .closed:
        preconditionFailure("a request is answered that is here")
      }
    }

    /// Lets `body` note the progress of the current exchange. Answers `nil`, and does nothing, if it carries no messages (any
    /// more).
    mutating func note<Result>(_ body: (inout HTTP1Exchange) -> Result) -> Result? {
      switch state {
      case .exchanging(let exchange, var message):
        let result = body(&message)
        state = .exchanging(exchange, message)
        return result
      case .idle, .readingHead, .gathering, .answered, .upgraded, .closed:
        return nil
      }
    }

    enum RequestEnd {
      /// The exchange has all of its request.
      case tell(Exchange)
      /// The exchange is over: look for another request.
      case proceed
      case nothing
    }

    /// All of a request was read.
    mutating func requestDidEnd() -> RequestEnd {
      switch state {
      case .exchanging(let exchange, var message):
        message.endRequest()
        state = .exchanging(exchange, message)
        return .tell(exchange)
      case .answered:
        state = .idle
        return .proceed
      case .idle, .readingHead, .gathering, .upgraded, .closed:
        return .nothing
      }
    }

    enum ExchangeEnd: Equatable {
      case proceed
      /// - Parameter clientMaySend: whether the client has not said, or not kept to it, that it sends nothing more.
      case end(clientMaySend: Bool)
      case nothing
    }

    /// The exchange is over and recorded.
    ///
    /// - Parameter endsWithOrigin: whether the connection leads nowhere after an exchange with an origin.
    mutating func exchangeDidEnd(endsWithOrigin: Bool) -> ExchangeEnd {
      switch state {
      case .exchanging(_, let message):
        state = .idle
        if message.mayBeFollowed(leadsOn: !endsWithOrigin || holdsInput) { return .proceed }
        return .end(clientMaySend: !message.hasWholeLastRequest || holdsInput)
      case .upgraded:
        state = .idle
        return .end(clientMaySend: true)
      case .closed:
        return .nothing
      case .idle, .readingHead, .gathering, .answered:
        preconditionFailure("an exchange ends that has begun")
      }
    }

    // MARK: Other protocols

    /// The exchange goes on as a stream. Answers the bytes of it that have come already.
    mutating func upgrade() -> [UInt8] {
      switch state {
      case .exchanging(let exchange, _): state = .upgraded(exchange)
      case .idle, .readingHead, .gathering, .answered, .upgraded, .closed:
        preconditionFailure("an exchange switches protocols")
      }
      return takeInput()
    }

    // MARK: What the link tells

    enum InputAction {
      case parse
      /// The content of the current exchange's request.
      case parseContent
      /// It waits for the end of the current exchange.
      case hold
      case relay(Exchange)
      case nothing
    }

    /// Bytes came.
    var inputAction: InputAction {
      switch state {
      // One read of ciphertext can bring two pieces of plaintext: the second one waits until the first is parsed.
      case .idle, .readingHead: holdsInput ? .hold : .parse
      case .answered: .parse
      case .gathering: .hold
      case .exchanging(_, let message): message.requestEnded ? .hold : .parseContent
      case .upgraded(let exchange): .relay(exchange)
      case .closed: .nothing
      }
    }

    enum InputEndAction {
      case tell(Exchange)
      /// A client that wants its answer keeps its side open.
      case hangUp
    }

    /// The client will send no more.
    var inputEndAction: InputEndAction {
      switch state {
      case .upgraded(let exchange): .tell(exchange)
      case .idle, .readingHead, .exchanging, .gathering, .answered, .closed: .hangUp
      }
    }

    enum OutputAction {
      case exchange(Exchange)
      /// The exchange has switched protocols.
      case stream(Exchange)
      case nothing
    }

    /// The kernel took bytes, or has room for more.
    var outputAction: OutputAction {
      switch state {
      case .exchanging(let exchange, _): .exchange(exchange)
      case .upgraded(let exchange): .stream(exchange)
      case .idle, .readingHead, .gathering, .answered, .closed: .nothing
      }
    }

    enum RefusalAction {
      /// The request gets our answer, and a record.
      case answer
      /// The request that waits for our answer gets this one.
      case answerInstead(Answer)
      case tell(Exchange)
      case close
    }

    /// The client's bytes are not a request, or not its content.
    mutating func requestDidFail() -> RefusalAction {
      switch state {
      case .idle, .readingHead:
        return .answer
      case .gathering(let answer):
        return .answerInstead(answer)
      case .exchanging(let exchange, var message):
        message.requestDidFail()
        state = .exchanging(exchange, message)
        return .tell(exchange)
      case .answered, .upgraded, .closed:
        return .close
      }
    }

    // MARK: Patience, and the end

    enum TimeoutAction {
      case close
      /// The head of a request is late.
      case refuseHead
      case askExchange(Exchange)
      case loseStream
      case loseRequest
    }

    /// The client did nothing for as long as the connection waits.
    var timeoutAction: TimeoutAction {
      switch state {
      case .idle: .close
      case .readingHead: .refuseHead
      case .exchanging(let exchange, _): .askExchange(exchange)
      case .upgraded: .loseStream
      case .gathering, .answered, .closed: .loseRequest
      }
    }

    enum LossAction {
      case close
      /// A request is incomplete: it is recorded.
      case recordRequest
      case recordAnswer(Answer)
      case tell(Exchange)
      case nothing
    }

    /// The client is gone, or we give it up.
    var lossAction: LossAction {
      switch state {
      case .idle, .answered: .close
      case .readingHead: .recordRequest
      case .gathering(let answer): .recordAnswer(answer)
      case .exchanging(let exchange, _), .upgraded(let exchange): .tell(exchange)
      case .closed: .nothing
      }
    }

    /// The connection ends.
    mutating func close() {
      state = .closed
      held = []
    }
  }
}
