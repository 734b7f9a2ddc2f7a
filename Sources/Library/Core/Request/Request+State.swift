internal import Dispatch
public import Synchronization
internal import TapelineTransport

extension Request {
  /// Where a request is in its life.
  public enum State: UInt8, AtomicRepresentable, Sendable, CaseIterable {
    /// Made, and not started.
    case initialized
    /// Started, or going on.
    case resumed
    /// Suspended: goes on with `resume()`.
    case suspended
    /// Cancelled: it stays so.
    case cancelled
    /// Its handlers have been called.
    case finished

    /// The complete table of transitions. A cancelled request never becomes finished, and no transition leaves an end state.
    /// (Outside this table, attaching a handler to a finished request revives it: see `append`.)
    func canTransition(to next: State) -> Bool {
      switch (self, next) {
      case (.initialized, _): true
      case (_, .initialized): false
      case (.cancelled, _), (.finished, _): false
      case (.resumed, .resumed), (.suspended, .suspended): false
      case (.resumed, .suspended), (.resumed, .cancelled), (.resumed, .finished): true
      case (.suspended, .resumed), (.suspended, .cancelled), (.suspended, .finished): true
      }
    }
  }

  /// The answer to `onHTTPResponse`: what to do after a response's head.
  public enum ResponseDisposition: Sendable, Hashable {
    /// Reads the body.
    case allow
    /// Ends the request as `cancel()` does.
    case cancel
  }

  /// How far the work of a request has come. In the root context.
  enum Stage {
    /// Nothing was done yet, or nothing for the next attempt.
    case idle
    /// The `URLRequest` of the attempt is being made.
    case settingUp
    /// The attempt has a task.
    case running
    /// The task has completed; files may still have to be closed.
    case completing
    /// A retrier is being asked.
    case deciding
    /// There will be another attempt, after a delay.
    case waiting
    /// There will be no other attempt; handlers may still be attached.
    case finished
  }

  /// A handler with the queue it is called on.
  struct Handler<Argument: Sendable>: Sendable {
    private let queue: DispatchQueue?
    private let closure: @Sendable (Argument) -> Void

    /// - Parameter queue: `nil`: the handler is called where the event happens, without waiting, so busy queues do not delay
    ///   it.
    init(queue: DispatchQueue?, closure: @escaping @Sendable (Argument) -> Void) {
      self.queue = queue
      self.closure = closure
    }

    /// The closure with its queue; `nil` for one that is called in place.
    var pair: (closure: @Sendable (Argument) -> Void, queue: DispatchQueue)? { queue.map { (closure, $0) } }

    func call(_ argument: Argument) {
      guard let queue else { return closure(argument) }
      queue.async { [closure] in closure(argument) }
    }
  }

  /// A handler that gets cURL commands.
  struct CURLHandler: Sendable {
    let handler: Handler<String>
    /// Whether it is called for every attempt, or once.
    let isLasting: Bool
  }

  /// The mutable parts of a request that any thread may read or write.
  struct MutableState: Sendable {
    var requests: [URLRequest] = []
    var tasks: [SessionTask] = []
    var metrics: [TaskMetrics] = []
    var response: HTTPURLResponse?
    var trailers: HTTPHeaders?
    /// The first error of the attempt.
    var error: TapelineError?
    var retryCount = 0

    var uploadProgress = Progress()
    var downloadProgress = Progress()
    var uploadProgressHandler: Handler<Progress>?
    var downloadProgressHandler: Handler<Progress>?

    var validators: [@Sendable () -> (any Error)?] = []
    /// The serializers, in the order attached. Each runs on its own and reports with `responseSerializerDidComplete`.
    var serializers: [@Sendable () -> Void] = []
    /// The users' code, one for each serializer that has run.
    var completions: [@Sendable () -> Void] = []
    /// Every serializer attached so far has run, and every completion was called.
    var isProcessingFinished = false
    var finishHandlers: [@Sendable () -> Void] = []

    /// The request's own, besides its interceptor: asked after the session's.
    var adapters: [any RequestAdapter] = []
    var retriers: [any RequestRetrier] = []

    var redirectHandler: (any RedirectHandler)?
    var credential: Credential?
    var cachedResponseHandler: (any CachedResponseHandler)?
    var urlRequestHandler: Handler<URLRequest>?
    var taskHandler: Handler<SessionTask>?
    var cURLHandlers: [CURLHandler] = []

    /// Returns the handlers to call now, and removes those that want only one command.
    mutating func takeCURLHandlers() -> [Handler<String>] {
      defer { cURLHandlers.removeAll { !$0.isLasting } }
      return cURLHandlers.map(\.handler)
    }
  }
}

/// The effects of commands, in the root context. The caller has already changed the state. A command acts on the state that it
/// finds, and later steps look at the state again, so no command is lost or counts twice.
extension Request {
  /// Ends the attempt: its task, which then completes, or the request itself if it has no task.
  func endAttempt() {
    switch stage {
    case .idle, .settingUp, .deciding, .waiting: finish()
    case .running: if let task = delegate.task { apply(.cancelled, to: task) }
    case .completing, .finished: break
    }
  }

  /// Applies the request's state to the task it has now.
  func updateStates(of task: SessionTask) {
    switch state {
    case .resumed: apply(.resumed, to: task)
    case .suspended: apply(.suspended, to: task)
    // The command is on its way here.
    case .initialized, .finished, .cancelled: break
    }
  }

  enum TaskCommand {
    case resumed
    case suspended
    case cancelled
  }

  /// Tells the monitors, and commands the task: the command may already complete it, which the monitors hear of afterwards.
  ///
  /// A task that has not been started is cancelled without a start; it has metrics all the same.
  func apply(_ command: TaskCommand, to task: SessionTask) {
    switch command {
    case .resumed:
      eventMonitor?.request(self, didResumeTask: task)
      task.resume()
    case .suspended:
      eventMonitor?.request(self, didSuspendTask: task)
      task.suspend()
    case .cancelled:
      guard task.isUnderWay else { return }
      eventMonitor?.request(self, didCancelTask: task)
      task.cancel()
    }
  }

  /// Ends the request with `error`, unless it has ended: its task is cancelled, if there is one.
  package final func fail(with error: any Error) {
    guard stage != .finished else { return }
    let error = error.asTapelineError(or: .sessionTaskFailed(error: error))
    keep(error)
    if stage == .running, let task = delegate.task { eventMonitor?.request(self, didFailTask: task, earlyWithError: error) }
    endAttempt()
  }

  /// The session was released.
  func sessionDidEnd() {
    fail(with: TapelineError.sessionDeinitialized)
  }

  /// Keeps the first error.
  func keep(_ error: TapelineError) {
    mutableState.write { state in
      if state.error == nil { state.error = error }
    }
  }
}
