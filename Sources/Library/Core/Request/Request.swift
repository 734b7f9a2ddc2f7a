internal import Synchronization
internal import TapelineTime
package import TapelineTransport

/// One request of a session, from any thread: its state, its timeline, its commands. Its `TaskDelegate` does the work.
///
/// A request is made by a `Session`, is set up when it is started, may have several attempts, and calls each of its handlers
/// exactly once.
///
/// Safety: `@unchecked Sendable` because classes that may be subclassed cannot be `Sendable`. What any thread may touch is
/// atomic, behind the lock of `mutableState`, or constant; the stage and what belongs to it are touched in the root context
/// only.
public class Request: @unchecked Sendable {
  /// Unique in this process.
  public let id: UInt64
  /// Does the work, on the session's loop.
  public let delegate: TaskDelegate
  package let engine: SessionEngine
  /// Makes the `URLRequest`, anew for every attempt; `nil` for a raw stream.
  let source: (any URLRequestConvertible)?
  let interceptor: (any RequestInterceptor)?
  private let shouldAutomaticallyResume: Bool?
  /// The session. Without it the request just finishes. A raw stream needs none.
  package private(set) weak var owner: (any RequestDelegate)?

  let currentState = Atomic<State>(.initialized)
  /// Nanoseconds of the attempt's first `resume()`; 0 before.
  private let startNanoseconds = Atomic<Int64>(0)
  /// Made on first use; a raw stream never uses it.
  private let lazyState = AtomicLazyReference<Protected<MutableState>>()

  // In the root context from here on.
  var stage = Stage.idle
  /// Decides about redirections and challenges of the attempt's task.
  var followUps: FollowUps?
  /// Counts attempts, so that events of an earlier attempt can be told apart.
  var attempt: UInt = 0
  private var hasNotedCancellation = false
  /// A serializer, or a retrier on its behalf, is at work.
  var isSerializing = false
  /// The next attempt, while it waits for its time.
  var delayedAttempt: (any DelayedWork)?

  /// The session's monitors with the request's own, once it has some.
  let ownMonitor = AtomicLazyReference<OwnMonitors>()

  private static let lastID = Atomic<UInt64>(0)

  /// A request of the library.
  init(convertible: any URLRequestConvertible, delegate: TaskDelegate, scope: RequestScope) {
    id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
    source = convertible
    self.delegate = delegate
    engine = scope.engine
    owner = scope.owner
    interceptor = scope.interceptor
    shouldAutomaticallyResume = scope.shouldAutomaticallyResume
    delegate.request = self
    bindGate()
    guardGate()
  }

  /// A raw stream.
  init(delegate: StreamTaskDelegate, engine: SessionEngine) {
    id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
    source = nil
    self.delegate = delegate
    self.engine = engine
    interceptor = nil
    shouldAutomaticallyResume = nil
    bindGate()
  }

  // MARK: For subclasses

  /// The request of an attempt, before adapters. In the request context.
  func urlRequest() throws -> URLRequest {
    guard let source else { preconditionFailure("a raw stream has no setup") }
    return try source.asURLRequest()
  }

  /// The request was told to start, or to go on. In the root context.
  func didResume() {
    eventMonitor?.requestDidResume(self)
    switch stage {
    case .idle: perform()
    case .running: if let task = delegate.task, state == .resumed { apply(.resumed, to: task) }
    case .settingUp, .completing, .deciding, .waiting, .finished: break
    }
  }

  /// The request was told to suspend. In the root context.
  func didSuspend() {
    eventMonitor?.requestDidSuspend(self)
    if stage == .running, let task = delegate.task, state == .suspended { apply(.suspended, to: task) }
  }

  /// The request was cancelled. In the root context.
  func didCancel() {
    noteCancellation()
    endAttempt()
  }

  /// Keeps the error of a cancellation and tells the monitors, once: also when the end comes before the command does. In the
  /// root context.
  final func noteCancellation() {
    guard !hasNotedCancellation else { return }
    hasNotedCancellation = true
    keep(.explicitlyCancelled)
    eventMonitor?.requestDidCancel(self)
  }

  /// The measurements of the task are known. In the root context.
  func didGatherMetrics(_ metrics: TaskMetrics) {
    delegate.finishCollecting(metrics)
    mutableState.write { $0.metrics.append(metrics) }
    eventMonitor?.request(self, didGatherMetrics: metrics)
  }

  /// The task has completed and its metrics are there. In the root context.
  func taskDidComplete(_ task: SessionTask, with error: TransportError?) {
    conclude(task, with: error)
  }

  /// Makes what the attempt needs besides the head. In the request context.
  func prepare(_ request: URLRequest) throws -> URLRequest {
    request
  }

  /// How `request` goes on the wire. In the root context.
  package func outgoing(for request: URLRequest) throws -> OutgoingRequest {
    try request.outgoing()
  }

  /// The task has ended without an error; validation is still to come. In the root context.
  func didReceiveAll(_ task: SessionTask) {}

  /// Forgets the attempt; there will be another. In the root context.
  func reset() {
    delegate.reset()
    startNanoseconds.store(0, ordering: .releasing)
    mutableState.write { state in
      state.error = nil
      state.response = nil
      state.trailers = nil
      state.completions = []
      state.uploadProgress = Progress()
      state.downloadProgress = Progress()
    }
    isSerializing = false
    guardGate()
  }

  /// The end, after the handlers were called. In the root context.
  func cleanup() {
    if let owner { owner.cleanup(after: self) } else { engine.remove(self) }
    let handlers = mutableState.write { state in
      let handlers = state.finishHandlers
      state.finishHandlers = []
      return handlers
    }
    for handler in handlers { handler() }
  }

  /// Ends the request with an explicit cancellation unless it has ended. Its handlers are called.
  @discardableResult
  public func cancel() -> Self {
    guard transition(to: .cancelled) != nil else { return self }
    onRoot { [self] in didCancel() }
    return self
  }

  // MARK: Commands

  /// Starts the request, or goes on after `suspend()`. Only the first start counts as the request's start.
  @discardableResult
  public final func resume() -> Self {
    guard transition(to: .resumed) != nil else { return self }
    stampStart()
    onRoot { [self] in didResume() }
    return self
  }

  /// Stops reading the response, and does not start a task that has not been started; bytes already on the wire are not taken
  /// back.
  @discardableResult
  public final func suspend() -> Self {
    guard transition(to: .suspended) != nil else { return self }
    onRoot { [self] in didSuspend() }
    return self
  }

  /// Whether the first handler starts the request.
  final var resumesAutomatically: Bool {
    shouldAutomaticallyResume ?? owner?.startImmediately ?? true
  }

  // MARK: State

  /// Where the request is in its life.
  public final var state: State { currentState.load(ordering: .acquiring) }

  /// Moves to `next` if the table allows it; returns the state it left.
  final func transition(to next: State) -> State? {
    var seen = state
    while seen.canTransition(to: next) {
      let (exchanged, original) = currentState.compareExchange(expected: seen, desired: next, ordering: .acquiringAndReleasing)
      if exchanged { return seen }
      seen = original
    }
    return nil
  }

  /// Runs `command` in the root context: at once if the caller is in that context, else later.
  final func onRoot(_ command: @escaping @Sendable () -> Void) {
    engine.root.run(command)
  }

  /// The mutable state that any thread may see.
  final var mutableState: Protected<MutableState> {
    lazyState.load() ?? lazyState.storeIfNil(Protected(MutableState()))
  }

  /// The session's monitors, then the request's own; `nil` when nobody listens.
  final var eventMonitor: CompositeEventMonitor? { ownMonitor.load()?.composite ?? engine.eventMonitor }

  // MARK: Timeline

  final func stampStart() {
    guard startNanoseconds.load(ordering: .relaxed) == 0 else { return }
    _ = startNanoseconds.compareExchange(
      expected: 0, desired: MonotonicInstant.now.nanoseconds, ordering: .acquiringAndReleasing)
  }

  /// When the attempt began.
  final var startInstant: MonotonicInstant? {
    let nanoseconds = startNanoseconds.load(ordering: .acquiring)
    return nanoseconds == 0 ? nil : MonotonicInstant(nanoseconds: nanoseconds)
  }
}
