extension HTTP1Connection {
  /// How far one connection has been read. States are named after what the peer still has to send.
  ///
  /// The outer states say whether the connection carries messages, the inner ones how far the current message is. The machine is
  /// noncopyable and every transition consumes the old state, so a path that forgets to set the new one does not compile.
  struct StateMachine: ~Copyable, Sendable {
    private var state: State

    private enum State: ~Copyable, Sendable {
      case open(Owed)
      /// The bytes that follow are not messages: a tunnel, or another protocol.
      case opaque
      /// No message follows; later bytes are ignored.
      case closed
    }

    /// The part of the current message that the peer still has to send.
    enum Owed: Sendable {
      /// Nothing: the connection is between messages.
      case nothing
      /// The rest of a head.
      case head
      case bytes(UInt64)
      case chunks
      /// The end of the connection.
      case close
      /// Nothing: the content is complete, and only the event is still to be delivered.
      case end
    }

    /// The bytes that follow the current message.
    enum Sequel: Sendable {
      case message
      case opaque
      case close
    }

    init() {
      state = .open(.nothing)
    }

    private init(_ state: consuming State) {
      self.state = state
    }

    /// The kind of bytes to read next.
    enum Reading {
      case message(Owed)
      case opaque
      case closed
    }

    var reading: Reading {
      switch state {
      case .open(let owed): .message(owed)
      case .opaque: .opaque
      case .closed: .closed
      }
    }

    /// The first byte of a head has come.
    mutating func headStarted() {
      guard case .open(let owed) = consume state else {
        preconditionFailure("a head comes on a connection that carries messages")
      }
      switch owed {
      case .nothing, .head: self = .init(.open(.head))
      case .bytes, .chunks, .close, .end: preconditionFailure("a head begins between messages")
      }
    }

    /// A 1xx head is complete; another head follows.
    mutating func informationalReceived() {
      guard case .open(.head) = consume state else { preconditionFailure("an informational head ends where a head was owed") }
      self = .init(.open(.nothing))
    }

    /// The head is complete; `framing` frames its content.
    mutating func headReceived(_ framing: BodyFraming) {
      guard case .open(.head) = consume state else { preconditionFailure("a head ends where one was owed") }
      switch framing {
      case .none, .length(0): self = .init(.open(.end))
      case .length(let length): self = .init(.open(.bytes(length)))
      case .chunked: self = .init(.open(.chunks))
      case .untilClose: self = .init(.open(.close))
      }
    }

    /// `count` bytes of content of known length have come.
    mutating func contentReceived(_ count: Int) {
      guard case .open(.bytes(let owed)) = consume state else {
        preconditionFailure("content of a known length comes only where it is owed")
      }
      precondition(count <= owed, "no more content is taken than is owed")
      self = .init(.open(owed == UInt64(count) ? .end : .bytes(owed - UInt64(count))))
    }

    /// The message has been read completely.
    mutating func messageEnded(then sequel: Sequel) {
      guard case .open(let owed) = consume state else { preconditionFailure("a message ends on a connection that carries them") }
      switch owed {
      case .chunks, .close, .end: break
      case .nothing, .head, .bytes: preconditionFailure("a message ends after its content")
      }
      switch sequel {
      case .message: self = .init(.open(.nothing))
      case .opaque: self = .init(.opaque)
      case .close: self = .init(.closed)
      }
    }

    /// The peer closed, or broke a rule.
    mutating func closed() {
      self = .init(.closed)
    }
  }
}
