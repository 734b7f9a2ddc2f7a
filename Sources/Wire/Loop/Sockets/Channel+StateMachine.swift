extension Channel {
  /// The operations that a channel may still do, as a value: which directions are open, and what remains to be done before the
  /// end.
  ///
  /// Each method has its own result type, so that the caller's switch has no impossible cases.
  struct StateMachine: ~Copyable {
    enum Output: Equatable {
      case open
      /// FIN must be sent once the queue has drained.
      case ending
      case ended
    }

    private enum State {
      /// The owner uses the channel.
      case open(inputEnded: Bool, output: Output)
      /// The owner has left (`closeAfterFlush`): the queue drains, then FIN goes out.
      case draining(lingers: Bool)
      /// Our FIN is sent, and we discard input until the peer's: if we closed with unread bytes, the kernel would send a reset,
      /// and the peer would throw away the last bytes we sent (RFC 9112 9.6).
      case lingering
      /// An error ended the channel; it is not reported yet.
      case failed
      case closed
    }

    private var state = State.open(inputEnded: false, output: .open)

    // MARK: Questions

    var isOpen: Bool {
      switch state {
      case .open, .draining, .lingering, .failed: true
      case .closed: false
      }
    }

    /// Whether bytes may still be queued.
    var acceptsOutput: Bool {
      switch state {
      case .open(_, let output): output == .open
      case .draining, .lingering, .failed, .closed: false
      }
    }

    /// Whether the queue may be written.
    var mayWrite: Bool {
      switch state {
      case .open, .draining: true
      case .lingering, .failed, .closed: false
      }
    }

    /// Whether to read the socket: input has not ended, and is either wanted or must be discarded.
    var wantsInput: Bool {
      switch state {
      case .open(let inputEnded, _): !inputEnded
      case .draining(let lingers): lingers
      case .lingering: true
      case .failed, .closed: false
      }
    }

    /// Whether the owner has left, and bytes of it may wait.
    var isDraining: Bool {
      switch state {
      case .draining: true
      case .open, .lingering, .failed, .closed: false
      }
    }

    /// Whether input goes to the handler; otherwise it is discarded.
    var deliversInput: Bool {
      switch state {
      case .open(let inputEnded, _): !inputEnded
      case .draining, .lingering, .failed, .closed: false
      }
    }

    // MARK: Events

    enum InputEndAction: Equatable {
      case deliver
      /// The owner has left; FIN changes nothing yet.
      case stopReading
      case close
    }

    /// The peer's FIN arrived.
    mutating func inputDidEnd() -> InputEndAction {
      switch state {
      case .open(_, let output):
        state = .open(inputEnded: true, output: output)
        return .deliver
      case .draining:
        state = .draining(lingers: false)
        return .stopReading
      case .lingering:
        return .close
      case .failed, .closed:
        preconditionFailure("a channel that reads no more came to the end of its input")
      }
    }

    enum DrainAction: Equatable {
      case nothing
      case sendEnd
      case sendEndAndLinger
      case close
    }

    /// Nothing waits to be written.
    mutating func outputDidDrain() -> DrainAction {
      switch state {
      case .open(let inputEnded, output: .ending):
        state = .open(inputEnded: inputEnded, output: .ended)
        return .sendEnd
      case .draining(lingers: false):
        // Both sides have finished: close sends FIN, and no unread byte turns it into a reset.
        return .close
      case .draining(lingers: true):
        state = .lingering
        return .sendEndAndLinger
      case .open(_, output: .open), .open(_, output: .ended), .lingering, .failed, .closed:
        return .nothing
      }
    }

    // MARK: Commands

    /// FIN must be sent. Returns whether that is new.
    mutating func endOutput() -> Bool {
      switch state {
      case .open(let inputEnded, output: .open):
        state = .open(inputEnded: inputEnded, output: .ending)
        return true
      case .open(_, output: .ending), .open(_, output: .ended), .draining, .lingering, .failed, .closed:
        return false
      }
    }

    /// The owner leaves. Returns whether that is new.
    mutating func leave(peerMaySend: Bool) -> Bool {
      switch state {
      case .open(let inputEnded, _):
        state = .draining(lingers: peerMaySend && !inputEnded)
        return true
      case .draining, .lingering, .failed, .closed:
        return false
      }
    }

    enum FailAction: Equatable {
      case report
      /// There is no handler to notify.
      case close
      case nothing
    }

    mutating func fail() -> FailAction {
      switch state {
      case .open, .draining:
        state = .failed
        return .report
      case .lingering:
        return .close
      case .failed, .closed:
        return .nothing
      }
    }

    /// Returns whether the channel was open.
    mutating func close() -> Bool {
      guard isOpen else { return false }
      state = .closed
      return true
    }
  }
}
