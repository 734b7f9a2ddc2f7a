internal import TapelineBase
internal import TapelineTime

extension ClientOpening {
  /// How far a client's connection has come on its way to its first request, as a value: a greeting, a tunnel, a handshake. It
  /// keeps the bytes that came too early.
  ///
  /// Each event has its own result type, so that the caller's switch holds nothing impossible. The opening around it has the link
  /// and the timer, and carries out the answers. The machine only hands out the tunnel that it holds, and so is generic over it.
  struct StateMachine<Tunnel>: ~Copyable {
    private enum State {
      /// Nothing has come from the client yet.
      case fresh
      /// The client begins with TLS, SOCKS or HTTP/2, and has not said all of it.
      case greeting(since: MonotonicInstant)
      case tunnelling(Tunnel)
      /// The TLS handshake, in which we act as the host that the client means.
      case securing
      /// Requests are read by another object, or the channel is sending the last bytes.
      case over
    }

    private var state = State.fresh
    /// Bytes of an incomplete greeting, or for the tunnel: at most a receive buffer, or what a hello may have.
    private var held: [UInt8] = []

    // MARK: Questions

    /// Whether nothing has come yet.
    var isFresh: Bool {
      switch state {
      case .fresh: true
      case .greeting, .tunnelling, .securing, .over: false
      }
    }

    /// When the first byte came of a greeting.
    var began: MonotonicInstant? {
      switch state {
      case .greeting(let since): since
      case .fresh, .tunnelling, .securing, .over: nil
      }
    }

    var tunnel: Tunnel? {
      switch state {
      case .tunnelling(let tunnel): tunnel
      case .fresh, .greeting, .securing, .over: nil
      }
    }

    // MARK: Bytes that came too early

    var holdsInput: Bool { !held.isEmpty }

    mutating func hold(_ bytes: Span<UInt8>) {
      held.append(bytes: bytes)
    }

    mutating func takeInput() -> [UInt8] {
      defer { held = [] }
      return held
    }

    // MARK: The way

    mutating func beginGreeting(at instant: MonotonicInstant) {
      switch state {
      case .fresh: state = .greeting(since: instant)
      case .greeting, .tunnelling, .securing, .over: preconditionFailure("a greeting comes first")
      }
    }

    /// More of a greeting came. Answers all of it.
    mutating func gatherGreeting(_ bytes: Span<UInt8>) -> [UInt8] {
      held.append(bytes: bytes)
      return held
    }

    mutating func openTunnel(_ tunnel: Tunnel) {
      switch state {
      // From a handshake in which the client was not answered: it goes on with the origin itself.
      case .fresh, .greeting, .securing: state = .tunnelling(tunnel)
      case .tunnelling, .over: preconditionFailure("a tunnel begins with a CONNECT, or with TLS in its place")
      }
    }

    /// TLS begins, under one of our certificates.
    mutating func secure() {
      switch state {
      case .tunnelling: state = .securing
      case .fresh, .greeting, .securing, .over: preconditionFailure("TLS begins in a tunnel")
      }
    }

    /// The opening is over, in whatever way.
    mutating func end() {
      state = .over
      held = []
    }

    // MARK: What the link tells

    enum InputAction {
      /// TLS, SOCKS or HTTP/2, it seems.
      case greet
      case gatherGreeting
      /// A request in HTTP/1.
      case parse
      case relay(Tunnel)
      case nothing
    }

    /// Bytes came.
    ///
    /// - Parameter isGreeting: whether they would begin another protocol than HTTP/1, if they come first.
    func inputAction(isGreeting: Bool) -> InputAction {
      switch state {
      case .fresh: isGreeting ? .greet : .parse
      case .greeting: .gatherGreeting
      case .tunnelling(let tunnel): .relay(tunnel)
      case .securing: preconditionFailure("a secure channel delivers nothing before it is secure")
      case .over: .nothing
      }
    }

    enum FailAction: Equatable {
      case failHandshake
      case hangUp
    }

    /// The link has failed.
    var failAction: FailAction {
      switch state {
      case .securing: .failHandshake
      case .fresh, .greeting, .tunnelling, .over: .hangUp
      }
    }

    // MARK: Patience, and the end

    enum TimeoutAction {
      case close
      case askTunnel(Tunnel)
      case loseHandshake
      case loseRequest
    }

    /// The client did nothing for as long as the opening waits.
    var timeoutAction: TimeoutAction {
      switch state {
      case .fresh: .close
      case .tunnelling(let tunnel): .askTunnel(tunnel)
      case .securing: .loseHandshake
      case .greeting, .over: .loseRequest
      }
    }

    enum LossAction {
      case close
      /// A greeting is incomplete: it is recorded.
      case recordRequest
      case recordHandshake
      case tellTunnel(Tunnel)
      case nothing
    }

    /// The client is gone, or we give it up.
    var lossAction: LossAction {
      switch state {
      case .fresh: .close
      case .greeting: .recordRequest
      case .securing: .recordHandshake
      case .tunnelling(let tunnel): .tellTunnel(tunnel)
      case .over: .nothing
      }
    }
  }
}
