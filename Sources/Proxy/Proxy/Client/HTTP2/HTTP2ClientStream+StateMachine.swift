extension HTTP2ClientStream {
  /// How far a client's stream has come, as a value: what becomes of its request, and which half of it has ended (RFC 9113 8.1).
  /// It hands out the request, the exchange, the tunnel or the answer that it holds, and so is generic over them.
  struct StateMachine<Request, Exchange, Tunnel, Answer>: ~Copyable {
    private enum State {
      /// The request's head is here, and nothing was decided.
      case fresh(Message)
      /// The head promises no content. Only the end of the stream shows that it keeps its word: in HTTP/1.1, the head alone would
      /// be a request.
      case holding(Request, Message)
      case exchanging(Exchange, Message)
      /// We answer later.
      case gathering(Answer, Message)
      case tunnelling(Tunnel, Message)
      /// The exchange goes on as a stream of bytes.
      case upgraded(Exchange, Message)
      /// The exchange is over, or the answer was ours: what is left of the response goes out.
      case finishing(Message)
      /// Reset by either side, or complete.
      case over
    }

    /// Both directions of the stream.
    private struct Message {
      var requestEnded: Bool
      var response = Response.untold
    }

    private enum Response {
      /// The client was told nothing yet but interim responses.
      case untold
      /// The head has gone out, and content follows.
      case content
      /// Nothing more will be added.
      case ending
      /// The last frame is in the output.
      case ended
    }

    private var state: State

    /// - Parameter requestEnded: whether the head is all of the request.
    init(requestEnded: Bool) {
      state = .fresh(Message(requestEnded: requestEnded))
    }

    // MARK: The request

    mutating func hold(_ request: Request) {
      switch state {
      case .fresh(let message): state = .holding(request, message)
      case .holding, .exchanging, .gathering, .tunnelling, .upgraded, .finishing, .over:
        preconditionFailure("a request is held before anything is decided about it")
      }
    }

    /// The end of the stream comes. Answers the request that was held for it, about which nothing is decided.
    mutating func release() -> Request? {
      switch state {
      case .holding(let request, let message):
        state = .fresh(message)
        return request
      case .fresh, .exchanging, .gathering, .tunnelling, .upgraded, .finishing, .over:
        return nil
      }
    }

    mutating func forward(_ exchange: Exchange) {
      switch state {
      case .fresh(let message): state = .exchanging(exchange, message)
      case .holding, .exchanging, .gathering, .tunnelling, .upgraded, .finishing, .over:
        preconditionFailure("a stream has one exchange")
      }
    }

    mutating func openTunnel(_ tunnel: Tunnel) {
      switch state {
      case .fresh(let message): state = .tunnelling(tunnel, message)
      case .holding, .exchanging, .gathering, .tunnelling, .upgraded, .finishing, .over:
        preconditionFailure("a stream has one tunnel")
      }
    }

    mutating func gather(_ answer: Answer) {
      switch state {
      case .fresh(let message): state = .gathering(answer, message)
      case .holding, .exchanging, .gathering, .tunnelling, .upgraded, .finishing, .over:
        preconditionFailure("a stream has one answer")
      }
    }

    /// We answer without an exchange. Answers whether the client can still hear it.
    mutating func answer() -> Bool {
      switch state {
      case .fresh(let message), .holding(_, let message), .gathering(_, let message):
        state = .finishing(message)
        return true
      case .over:
        return false
      case .exchanging, .tunnelling, .upgraded, .finishing:
        preconditionFailure("a request is answered that nobody else answers")
      }
    }

    enum ContentAction {
      case receive(Exchange)
      case relay(Exchange)
      case relayInTunnel(Tunnel)
      /// Nobody wants it.
      case drop
    }

    var contentAction: ContentAction {
      switch state {
      case .exchanging(let exchange, _): .receive(exchange)
      case .upgraded(let exchange, _): .relay(exchange)
      case .tunnelling(let tunnel, _): .relayInTunnel(tunnel)
      case .fresh, .holding, .gathering, .finishing, .over: .drop
      }
    }

    /// The client has sent all that it will. Answers who is told.
    mutating func requestDidEnd() -> ContentAction {
      switch state {
      case .exchanging(let exchange, var message):
        message.requestEnded = true
        state = .exchanging(exchange, message)
      case .tunnelling(let tunnel, var message):
        message.requestEnded = true
        state = .tunnelling(tunnel, message)
      case .upgraded(let exchange, var message):
        message.requestEnded = true
        state = .upgraded(exchange, message)
      case .finishing(var message):
        message.requestEnded = true
        state = .finishing(message)
      case .gathering(let answer, var message):
        message.requestEnded = true
        state = .gathering(answer, message)
      case .holding:
        preconditionFailure("a request is released before its end is told")
      case .fresh, .over:
        break
      }
      return contentAction
    }

    var requestEnded: Bool { message?.requestEnded ?? true }

    // MARK: The response

    private var message: Message? {
      switch state {
      case .fresh(let message), .holding(_, let message), .exchanging(_, let message), .gathering(_, let message),
        .tunnelling(_, let message), .upgraded(_, let message), .finishing(let message):
        message
      case .over:
        nil
      }
    }

    private mutating func setResponse(_ response: Response) {
      switch state {
      case .fresh(var message):
        message.response = response
        state = .fresh(message)
      case .holding(let request, var message):
        message.response = response
        state = .holding(request, message)
      case .exchanging(let exchange, var message):
        message.response = response
        state = .exchanging(exchange, message)
      case .gathering(let answer, var message):
        message.response = response
        state = .gathering(answer, message)
      case .tunnelling(let tunnel, var message):
        message.response = response
        state = .tunnelling(tunnel, message)
      case .upgraded(let exchange, var message):
        message.response = response
        state = .upgraded(exchange, message)
      case .finishing(var message):
        message.response = response
        state = .finishing(message)
      case .over:
        break
      }
    }

    /// Whether the client was told nothing yet, and can be.
    var isUntold: Bool {
      switch message?.response {
      case .untold: true
      case .content, .ending, .ended, nil: false
      }
    }

    var takesContent: Bool {
      switch message?.response {
      case .content: true
      case .untold, .ending, .ended, nil: false
      }
    }

    /// Whether frames are still to be made, beyond those for content that has come: a head, or the end.
    var owesFrames: Bool {
      switch message?.response {
      case .ending: true
      case .untold, .content, .ended, nil: false
      }
    }

    /// Whether the last frame of the response is in the output.
    var responseEnded: Bool {
      switch message?.response {
      case .ended: true
      case .untold, .content, .ending, nil: false
      }
    }

    /// The final head goes out. Answers whether it may.
    mutating func beginResponse(hasContent: Bool) -> Bool {
      guard isUntold else { return false }
      setResponse(hasContent ? .content : .ending)
      return true
    }

    /// All of the response is here. Answers whether its content was open.
    mutating func endResponse() -> Bool {
      guard takesContent else { return false }
      setResponse(.ending)
      return true
    }

    /// The last frame of the response is in the output. Answers whether the rest of the request is not wanted any more (RFC 9113
    /// 8.1), because nobody takes it: an exchange that is not over may still relay it.
    mutating func responseDidLeave() -> Bool {
      setResponse(.ended)
      return switch state {
      case .finishing(let message): !message.requestEnded
      case .fresh, .holding, .exchanging, .gathering, .tunnelling, .upgraded, .over: false
      }
    }

    // MARK: Other protocols

    mutating func upgrade() {
      switch state {
      case .exchanging(let exchange, let message): state = .upgraded(exchange, message)
      case .fresh, .holding, .gathering, .tunnelling, .upgraded, .finishing, .over:
        preconditionFailure("an exchange switches protocols")
      }
    }

    // MARK: The end

    enum ExchangeEnd: Equatable {
      /// The rest of the response goes out, and the rest of the request comes in.
      case finish
      /// The response is incomplete, and stays so.
      case breakOff
      /// The response is complete, and nobody wants more of the client's bytes.
      case endRequest
      case nothing
    }

    /// The exchange or tunnel is over and recorded.
    mutating func exchangeDidEnd() -> ExchangeEnd {
      switch state {
      case .exchanging(_, let message), .tunnelling(_, let message), .upgraded(_, let message):
        switch message.response {
        case .untold, .content:
          state = .over
          return .breakOff
        case .ending:
          state = .finishing(message)
          return .finish
        case .ended:
          state = .finishing(message)
          return message.requestEnded ? .finish : .endRequest
        }
      case .over:
        return .nothing
      case .fresh, .holding, .gathering, .finishing:
        preconditionFailure("an exchange ends that has begun")
      }
    }

    enum Work {
      case request(Request)
      case exchange(Exchange)
      case upgraded(Exchange)
      case tunnel(Tunnel)
      case answer(Answer)
      /// The rest of a response.
      case rest
      case nothing
    }

    var work: Work {
      switch state {
      case .holding(let request, _): .request(request)
      case .exchanging(let exchange, _): .exchange(exchange)
      case .upgraded(let exchange, _): .upgraded(exchange)
      case .tunnelling(let tunnel, _): .tunnel(tunnel)
      case .gathering(let answer, _): .answer(answer)
      case .fresh, .finishing: .rest
      case .over: .nothing
      }
    }

    /// The stream is reset, or the connection ends. Answers whose work that ends.
    mutating func lose() -> Work {
      let work = work
      state = .over
      return work
    }

    var isOver: Bool {
      switch state {
      case .over: true
      case .fresh, .holding, .exchanging, .gathering, .tunnelling, .upgraded, .finishing: false
      }
    }
  }
}
