internal import TapelineTLS

extension SecureChannel {
  /// The state of TLS, as a value: whether it is established, which directions have ended, and whether the owner is still there.
  ///
  /// Each method has its own result type, so that the caller's switch holds nothing impossible.
  struct StateMachine: ~Copyable {
    private enum Input {
      case open
      case ended
      /// The peer's FIN came without close_notify: anybody may have cut off its stream (RFC 8446 6.1).
      case truncated
    }

    private enum State {
      case securing
      case open(input: Input, outputEnded: Bool)
      /// TLS has failed: our alert is on its way, and the channel ends by itself.
      case failed(TLSError)
      /// The owner has left.
      case left
    }

    private var state = State.securing

    // MARK: Questions

    /// Whether ciphertext belongs to the handshake.
    var isSecuring: Bool {
      switch state {
      case .securing: true
      case .open, .failed, .left: false
      }
    }

    /// Whether the handshake has ended and the owner is there: records are opened and sealed.
    var isSecure: Bool {
      switch state {
      case .open: true
      case .securing, .failed, .left: false
      }
    }

    /// Whether plaintext may still be queued.
    var acceptsOutput: Bool {
      switch state {
      case .open(_, let outputEnded): !outputEnded
      case .securing, .failed, .left: false
      }
    }

    /// Whether the channel's end matters: to the handshake, or as the end of an input that has not ended.
    var awaitsInput: Bool {
      switch state {
      case .securing, .open(input: .open, _): true
      case .open(input: .ended, _), .open(input: .truncated, _), .failed, .left: false
      }
    }

    var inputIsTruncated: Bool {
      switch state {
      case .open(input: .truncated, _): true
      case .open, .securing, .failed, .left: false
      }
    }

    var failure: TLSError? {
      switch state {
      case .failed(let error): error
      case .securing, .open, .left: nil
      }
    }

    var hasLeft: Bool {
      switch state {
      case .left: true
      case .securing, .open, .failed: false
      }
    }

    // MARK: Events

    /// The handshake is complete.
    mutating func handshakeDidEnd() {
      switch state {
      case .securing: state = .open(input: .open, outputEnded: false)
      case .open, .failed, .left: preconditionFailure("a handshake ends once, and for its owner")
      }
    }

    /// The peer sent close_notify. Answers whether that is news to the owner.
    mutating func inputDidEnd() -> Bool {
      switch state {
      case .open(input: .open, let outputEnded):
        state = .open(input: .ended, outputEnded: outputEnded)
        return true
      case .open(input: .ended, _), .open(input: .truncated, _), .securing, .failed, .left:
        return false
      }
    }

    enum CutAction: Equatable {
      /// The owner hears of the end, and may ask whether it is a truncation.
      case deliverEnd
      /// There is no stream yet that could be cut off.
      case fail
    }

    /// The channel ended without close_notify, while `awaitsInput`.
    mutating func inputWasCut() -> CutAction {
      switch state {
      case .open(_, let outputEnded):
        state = .open(input: .truncated, outputEnded: outputEnded)
        return .deliverEnd
      case .securing, .failed, .left:
        return .fail
      }
    }

    /// The engine is dead. Answers whether somebody must be told.
    mutating func fail(_ error: TLSError) -> Bool {
      switch state {
      case .securing, .open:
        state = .failed(error)
        return true
      case .failed, .left:
        return false
      }
    }

    // MARK: Commands

    /// close_notify is owed. Answers whether that is news.
    mutating func endOutput() -> Bool {
      switch state {
      case .open(let input, outputEnded: false):
        state = .open(input: input, outputEnded: true)
        return true
      case .open(_, outputEnded: true), .securing, .failed, .left:
        return false
      }
    }

    /// The owner leaves at once. Answers whether the channel must be closed: once TLS has failed, the channel ends by itself,
    /// after the alert.
    mutating func close() -> Bool {
      switch state {
      case .securing, .open, .left:
        state = .left
        return true
      case .failed:
        return false
      }
    }

    enum LeaveAction: Equatable {
      /// Everything has been handed to the channel, which closes when it has written it.
      case drain
      /// Nothing can be sent before there is a key.
      case close
      /// The end is on its way.
      case nothing
    }

    /// The owner leaves, and the bytes that it has written are still to be sent.
    mutating func closeAfterFlush() -> LeaveAction {
      switch state {
      case .open:
        state = .left
        return .drain
      case .securing:
        state = .left
        return .close
      case .failed, .left:
        return .nothing
      }
    }
  }
}
