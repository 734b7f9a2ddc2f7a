extension UpstreamOpening {
  /// How far a connection has come on its way to its first task, as a value.
  ///
  /// Each event has its own result type, so that the caller's switch holds nothing impossible. The opening around it has the
  /// link, the timer and the task, and carries out the answers.
  struct StateMachine: ~Copyable {
    private enum State {
      case unconnected
      case connecting
      /// The upstream proxy was asked for a tunnel. Once it has challenged us, the rest of its response is read.
      case tunnelling(isAuthorized: Bool, isChallenged: Bool)
      /// The TLS handshake is in progress: for the task, or ahead of one.
      case securing
      /// Open, and belongs to no task.
      case prepared
      /// A handshake ahead of any task has failed: the first task is told why.
      case refused(TransportError)
      /// Somebody carries with the connection, or it is gone.
      case over
    }

    private var state: State
    /// CONNECTs sent for the tunnel, those on earlier connections included.
    private(set) var tunnelAttempts: Int

    init(tunnelAttempts: Int) {
      state = .unconnected
      self.tunnelAttempts = tunnelAttempts
    }

    private init(_ state: State) {
      self.state = state
      tunnelAttempts = 0
    }

    /// For a connection that a task has given up before it moved a byte.
    static func prepared() -> StateMachine { StateMachine(.prepared) }

    // MARK: Questions

    var isSecuring: Bool {
      switch state {
      case .securing: true
      case .unconnected, .connecting, .tunnelling, .prepared, .refused, .over: false
      }
    }

    /// Open, and belongs to no task.
    var isPrepared: Bool {
      switch state {
      case .prepared: true
      case .unconnected, .connecting, .tunnelling, .securing, .refused, .over: false
      }
    }

    /// Whether a first task can have the connection, or the reason why it cannot be used.
    var awaitsFirstTask: Bool {
      switch state {
      case .prepared, .securing, .refused: true
      case .unconnected, .connecting, .tunnelling, .over: false
      }
    }

    /// Whether the request for the tunnel told the upstream proxy who we are.
    var tunnelIsAuthorized: Bool {
      switch state {
      case .tunnelling(let isAuthorized, _): isAuthorized
      case .unconnected, .connecting, .securing, .prepared, .refused, .over: false
      }
    }

    /// The phase that an error now belongs to.
    var reached: TransportError.Phase {
      switch state {
      case .unconnected, .connecting, .tunnelling: .connect
      case .securing: .tls
      case .prepared, .refused, .over: .send
      }
    }

    // MARK: The way

    mutating func connect() {
      switch state {
      case .unconnected: state = .connecting
      case .connecting, .tunnelling, .securing, .prepared, .refused, .over:
        preconditionFailure("a connection is opened once")
      }
    }

    /// A CONNECT goes out: the first, or a better one after a challenge.
    mutating func requestTunnel(isAuthorized: Bool) {
      switch state {
      case .connecting, .tunnelling(_, isChallenged: true):
        tunnelAttempts += 1
        state = .tunnelling(isAuthorized: isAuthorized, isChallenged: false)
      case .unconnected, .tunnelling, .securing, .prepared, .refused, .over:
        preconditionFailure("a tunnel is asked for on a connection that has carried nothing")
      }
    }

    /// The upstream proxy asks who we are, and can be told.
    mutating func tunnelWasChallenged() {
      switch state {
      case .tunnelling(let isAuthorized, _): state = .tunnelling(isAuthorized: isAuthorized, isChallenged: true)
      case .unconnected, .connecting, .securing, .prepared, .refused, .over:
        preconditionFailure("a challenge answers a CONNECT")
      }
    }

    /// TLS begins.
    mutating func secure() {
      switch state {
      case .connecting, .tunnelling, .prepared: state = .securing
      case .unconnected, .securing, .refused, .over:
        preconditionFailure("TLS begins where no byte has been sent")
      }
    }

    /// A handshake ahead of any task has ended.
    mutating func prepare() {
      switch state {
      case .securing: state = .prepared
      case .unconnected, .connecting, .tunnelling, .prepared, .refused, .over:
        preconditionFailure("a connection is prepared by a handshake")
      }
    }

    /// After `end`: the handshake ahead of any task has failed, and the first task hears of it.
    mutating func refuse(_ error: TransportError) {
      switch state {
      case .over: state = .refused(error)
      case .unconnected, .connecting, .tunnelling, .securing, .prepared, .refused:
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
        state = .over
        return .fail(error)
      case .unconnected, .connecting, .tunnelling, .over:
        preconditionFailure("a connection was used as if it had carried nothing")
      }
    }

    /// The opening is over, in whatever way.
    mutating func end() {
      state = .over
    }

    // MARK: What the link tells

    enum InputAction {
      case tunnelResponse
      /// The origin spoke before it was asked.
      case endPrepared
    }

    /// Bytes came.
    var inputAction: InputAction {
      switch state {
      case .tunnelling: .tunnelResponse
      case .prepared: .endPrepared
      case .unconnected, .connecting, .securing, .refused, .over:
        preconditionFailure("a link delivered bytes before it stood or after it was closed")
      }
    }

    enum InputEndAction: Equatable {
      case requestTunnelElsewhere
      case failTunnel
      case endPrepared
    }

    /// The peer has ended its direction.
    var inputEndAction: InputEndAction {
      switch state {
      case .tunnelling(_, isChallenged: true): .requestTunnelElsewhere
      case .tunnelling(_, isChallenged: false): .failTunnel
      case .prepared: .endPrepared
      case .unconnected, .connecting, .securing, .refused, .over:
        preconditionFailure("a link ended before it stood or after it was closed")
      }
    }

    enum FailAction: Equatable {
      case fail
      case failHandshake
      case endPrepared
      case close
    }

    /// The link has failed.
    var failAction: FailAction {
      switch state {
      case .tunnelling: .fail
      case .securing: .failHandshake
      case .prepared: .endPrepared
      case .unconnected, .connecting, .refused, .over: .close
      }
    }

    enum TimeoutAction: Equatable {
      case failHandshake
      case failConnecting
      case failTunnel
      case close
    }

    /// Nothing has come for as long as the opening waits.
    var timeoutAction: TimeoutAction {
      switch state {
      case .securing: .failHandshake
      case .unconnected, .connecting: .failConnecting
      case .tunnelling: .failTunnel
      case .prepared, .refused, .over: .close
      }
    }
  }
}
