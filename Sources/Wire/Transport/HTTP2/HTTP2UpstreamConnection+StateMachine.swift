extension HTTP2UpstreamConnection {
  /// Whether the connection takes requests, as a value. What its streams do is in their own machines.
  struct StateMachine: ~Copyable {
    private enum State {
      /// Takes requests; settings of the origin may not have come yet.
      case open(hasSettings: Bool)
      /// Takes no more requests. Open streams go on, and the connection ends with the last of them.
      case leaving
      case closed
    }

    private var state = State.open(hasSettings: false)
    private var hasTasks = false

    // MARK: Questions

    var takesRequests: Bool {
      switch state {
      case .open: true
      case .leaving, .closed: false
      }
    }

    /// Whether the origin has said what it offers.
    var hasSettings: Bool {
      switch state {
      case .open(let hasSettings): hasSettings
      case .leaving, .closed: true
      }
    }

    // MARK: Events

    /// A task comes. Answers whether it is the first.
    mutating func begin() -> Bool {
      switch state {
      case .open:
        defer { hasTasks = true }
        return !hasTasks
      case .leaving, .closed:
        preconditionFailure("a task is given to a connection that takes requests")
      }
    }

    mutating func settingsDidCome() {
      switch state {
      case .open: state = .open(hasSettings: true)
      case .leaving, .closed: break
      }
    }

    /// The origin goes away, a request was refused, or the store is gone. Answers whether that is news.
    mutating func leave() -> Bool {
      switch state {
      case .open:
        state = .leaving
        return true
      case .leaving, .closed:
        return false
      }
    }

    enum IdleAction: Equatable {
      case wait
      case close
      case nothing
    }

    /// The last stream has ended.
    var idleAction: IdleAction {
      switch state {
      case .open: .wait
      case .leaving: .close
      case .closed: .nothing
      }
    }

    /// The connection ends. Answers whether that is news.
    mutating func close() -> Bool {
      switch state {
      case .open, .leaving:
        state = .closed
        return true
      case .closed:
        return false
      }
    }
  }
}
