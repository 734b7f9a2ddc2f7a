extension HTTP2ClientConnection {
  /// How far a client's HTTP/2 connection has come, as a value. Its streams have machines of their own.
  struct StateMachine: ~Copyable {
    private enum State {
      /// The client's preface and settings have not come (RFC 9113 3.4).
      case opening
      case serving
      /// We have said that we go away, and the streams that are open go on.
      case draining
      /// The client broke a rule of the connection: it is told so, and nothing else goes out.
      case failed
      case closed
    }

    private var state = State.opening

    // MARK: Questions

    var isOpen: Bool {
      switch state {
      case .opening, .serving, .draining, .failed: true
      case .closed: false
      }
    }

    /// Whether the client has not shown that it speaks HTTP/2.
    var isOpening: Bool {
      switch state {
      case .opening: true
      case .serving, .draining, .failed, .closed: false
      }
    }

    /// Whether nothing goes out any more but the reason.
    var hasFailed: Bool {
      switch state {
      case .failed: true
      case .opening, .serving, .draining, .closed: false
      }
    }

    var isDraining: Bool {
      switch state {
      case .draining: true
      case .opening, .serving, .failed, .closed: false
      }
    }

    // MARK: Events

    /// Settings came. Answers whether they are the first.
    mutating func settingsDidCome() -> Bool {
      switch state {
      case .opening:
        state = .serving
        return true
      case .serving, .draining, .failed, .closed:
        return false
      }
    }

    /// The connection is to end when its streams have ended. Answers whether the client is to be told.
    mutating func beginShutdown() -> Bool {
      switch state {
      case .opening, .serving:
        state = .draining
        return true
      case .draining, .failed, .closed:
        return false
      }
    }

    mutating func clientDidFail() {
      switch state {
      case .opening, .serving, .draining: state = .failed
      case .failed, .closed: break
      }
    }

    enum TimeoutAction: Equatable {
      /// Nothing was promised: both sides may go.
      case shutDown
      /// The client's settings are late.
      case refuse
      /// The client does not read that we go away.
      case close
      case nothing
    }

    /// The client did nothing for as long as the connection waits.
    var timeoutAction: TimeoutAction {
      switch state {
      case .opening: .refuse
      case .serving: .shutDown
      case .draining, .failed: .close
      case .closed: .nothing
      }
    }

    /// The connection ends. Answers whether it had not before.
    mutating func close() -> Bool {
      switch state {
      case .opening, .serving, .draining, .failed:
        state = .closed
        return true
      case .closed:
        return false
      }
    }
  }
}
