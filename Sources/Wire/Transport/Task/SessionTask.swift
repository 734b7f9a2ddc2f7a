public import Synchronization
package import TapelineHTTP
package import TapelineHTTP2
package import TapelineLoop
package import TapelineTime

/// One task of a session: a request and its response, or a raw stream, carried by a `Transport`.
///
/// Safety: `@unchecked Sendable` because callers on any thread may hold a task and resume, suspend or cancel it. They can reach
/// only immutable members and the atomic `state`; every other member is touched on `loop` only, and the methods check it.
public final class SessionTask: @unchecked Sendable {
  /// Where a task is in its life.
  public enum State: UInt8, AtomicRepresentable, Sendable {
    /// In progress.
    case running
    /// Not started yet, or reading no more for now.
    case suspended
    /// Told to end.
    case canceling
    /// Ended: nothing more comes.
    case completed
  }

  /// The work that the task asks of the transport.
  package enum Work: Sendable {
    case exchange(OutgoingRequest)
    /// Bytes both ways once the connection is open: the given one, if it still is, or a new one. `via`: the `Via` values of a
    /// CONNECT to an upstream proxy; empty when the stream is the process's own.
    case stream(Route, on: PreparedConnection? = nil, via: [String] = [])
  }

  /// A response head, and the request that it answers.
  package struct Answer: Sendable {
    package let request: RequestHead
    package let response: ResponseHead
  }

  /// Unique within the session.
  public let taskIdentifier: Int
  package let loop: EventLoop

  // Loop-bound from here on.
  /// The current work: the exchange that the last response led to.
  package internal(set) var work: Work
  /// The earlier work, in order.
  private var earlierWork: [Work] = []
  /// The task's own time-outs; set before it starts.
  package var timeouts: TaskTimeouts?
  private var deadline: Timer?
  /// Why the task is being ended, when it is not because of `cancel()`.
  private var endingError: TransportError?
  /// Held until completion: the listener must outlive what it listens to.
  private var events: (any SessionTaskEvents)?
  private let transport: any Transport
  private var hasStarted = false
  package var metrics = TaskMetrics()
  /// How the response's body is delimited; set before its head is delivered.
  package var responseFraming: BodyFraming?
  /// Whether the server's connection can carry another exchange after the response, according to its head; set with
  /// `responseFraming`.
  package var connectionPersists = false
  /// The final response's head as it came, if the origin speaks HTTP/2; set before the head is delivered.
  package var http2Response: HTTP2ResponseHead?
  /// The code by which an HTTP/2 origin learns that the task was cancelled (RFC 9113 7); set before `cancel`.
  package var cancelCode = HTTP2ErrorCode.cancel
  /// Whether our end of the stream is a bare FIN, as its client's is.
  package var omitsCloseNotify = false
  /// The protocols to offer by ALPN, if experience with the origin says so.
  var offer = ProtocolOffer.usual
  /// Why the session's evaluator refused the server; set before the task completes.
  package internal(set) var evaluationFailure: (any Error)?
  /// Hears of the task's events, after the monitors of its session. Held until the task has ended.
  package var owner: (any SessionTaskEvents)?
  /// The task's carrier at present; the task owns it until it ends.
  package var carrier: (any TaskCarrier)?
  /// The part of the body that was asked for before a connection could take it.
  var gathered = GatheredBody()
  /// Attempts of the current exchange.
  private(set) var exchangeAttempts = 0
  /// For a stream: what its receiver was given and has not used. The next user of the connection reads it first.
  package var returnedInput: [UInt8] = []
  /// The task failed with a kept connection that stood for one of its client's: the client's ends in the same way.
  package private(set) var endsForClient = false
  /// The part of a response's head that came before the response failed.
  package var unreadHead: [UInt8] = []
  /// The upstream proxy asked who we are, and another exchange could answer it.
  package internal(set) var proxyChallengeIsAnswerable = false

  private let currentState = Atomic<State>(.suspended)
  /// Made on first use: a task that is only passed on has none.
  private let lazyNotes = AtomicLazyReference<TaskNotes>()

  /// A task starts suspended; `resume()` starts it.
  package init(taskIdentifier: Int, work: Work, loop: EventLoop, transport: any Transport, events: any SessionTaskEvents) {
    self.taskIdentifier = taskIdentifier
    self.work = work
    self.loop = loop
    self.transport = transport
    self.events = events
  }

  /// The task's current state.
  public var state: State { currentState.load(ordering: .acquiring) }

  /// The last final head of the process's own task, and the request that it answers. `nil` before, and for tasks that are only
  /// passed on. From any thread.
  package var answer: Answer? { lazyNotes.load()?.content.withLock { $0.answer } }

  /// The head of the process's own request as it was made, and as it is now, after redirections and challenges.
  package var noted: (original: RequestHead?, current: RequestHead?) {
    lazyNotes.load()?.content.withLock { ($0.original, $0.current) } ?? (nil, nil)
  }

  /// A text of the program's own, which means nothing to the library.
  public var taskDescription: String? {
    get { lazyNotes.load()?.content.withLock { $0.text } }
    set { notes.content.withLock { $0.text = newValue } }
  }

  /// Notes the head of the process's own request for other threads.
  package func note(_ head: RequestHead) {
    notes.content.withLock { content in
      if content.original == nil { content.original = head }
      content.current = head
    }
  }

  private var notes: TaskNotes { lazyNotes.load() ?? lazyNotes.storeIfNil(TaskNotes()) }

  /// Neither ended nor about to end.
  package var isUnderWay: Bool {
    switch state {
    case .running, .suspended: true
    case .canceling, .completed: false
    }
  }

  package var route: Route {
    switch work {
    case .exchange(let request): request.route
    case .stream(let route, on: _, via: _): route
    }
  }

  /// The head that is sent; `nil` for a stream.
  package var requestHead: RequestHead? { work.requestHead }

  /// The head that was sent first.
  package var originalRequestHead: RequestHead? { (earlierWork.first ?? work).requestHead }

  /// The phase that the attempt has reached on the wire; `nil` while no connection carries the task. On the loop.
  package var reachedPhase: TransportError.Phase? { carrier?.reached }

  // MARK: Commands, from any thread; at once on the loop.

  /// Starts the task, or goes on after `suspend()`.
  public func resume() {
    onLoop { task in
      guard task.change(from: .suspended, to: .running) else { return }
      if task.hasStarted {
        task.carrier?.resumeReceiving()
        // The source may have said so while the task was suspended.
        task.carrier?.pumpBody()
      } else {
        task.hasStarted = true
        task.startDeadline()
        task.events?.taskWillBegin(task)
        task.transport.start(task)
      }
    }
  }

  /// Stops reading. Bytes already on the wire are not taken back.
  public func suspend() {
    onLoop { task in _ = task.change(from: .running, to: .suspended) }
  }

  /// Ends the task with a cancellation error, unless it has completed.
  public func cancel() {
    onLoop { task in
      guard task.change(from: .running, to: .canceling) || task.change(from: .suspended, to: .canceling) else { return }
      if let carrier = task.carrier { carrier.cancel(task) } else { task.complete(with: .cancelled) }
    }
  }

  // MARK: Commands on the loop only.

  /// The body source that answered `later` has more.
  package func bodyBecameAvailable() {
    loop.preconditionCurrent()
    guard state == .running else { return }
    carrier?.pumpBody()
  }

  /// Sends the next bytes of the body at once, from where they are. Answers `false` if they must wait until they are asked for.
  package func sendBody(_ bytes: Span<UInt8>) -> Bool {
    loop.preconditionCurrent()
    guard state == .running, gathered.isUnused else { return false }
    return carrier?.sendBody(bytes) ?? false
  }

  /// The receiver that answered `pause` can go on.
  package func resumeReceiving() {
    loop.preconditionCurrent()
    guard state == .running else { return }
    carrier?.resumeReceiving()
  }

  /// Says what follows a response head that was answered with `later`: once, and perhaps before `later` is returned.
  package func decide(_ decision: ResponseDecision) {
    loop.preconditionCurrent()
    guard isUnderWay else { return }
    if case .repeat(let request, let redirected) = decision {
      describeRequest()
      earlierWork.append(work)
      work = .exchange(request)
      if case .ourselves = request.sender { note(request.head) }
      gathered = GatheredBody()
      offer = .usual
      http2Response = nil
      exchangeAttempts = 0
      if redirected { metrics.redirectCount += 1 }
      events?.taskWillBegin(self)
    }
    carrier?.decide(decision)
  }

  /// Sends raw bytes on a stream task, or on one that was upgraded.
  package func send(_ bytes: Span<UInt8>) -> Demand {
    loop.preconditionCurrent()
    guard state == .running else { return .more }
    events?.task(self, willSend: bytes)
    return carrier?.send(bytes) ?? .more
  }

  /// The client of a task that is only passed on wants its response at another priority (RFC 9218 7).
  package func updatePriority(_ fieldValue: String) {
    loop.preconditionCurrent()
    guard state == .running else { return }
    carrier?.updatePriority(fieldValue)
  }

  /// Ends our direction of a stream task.
  package func finishSending() {
    loop.preconditionCurrent()
    guard state == .running else { return }
    events?.taskWillFinishSending(self)
    carrier?.finishSending()
  }

  /// Takes the connection from a stream task that is open and has moved no byte, so that another task can use it. The task
  /// completes later in this turn of the loop. For any other task, the result is `nil`, and nothing happens.
  package func detach() -> DetachedStream? {
    loop.preconditionCurrent()
    return carrier?.detach(self)
  }

  /// Ends the task as `cancel()` does, with another error.
  private func end(with error: TransportError) {
    endingError = error
    cancel()
  }

  private func startDeadline() {
    guard let limit = timeouts?.resource else { return }
    let timer = Timer(loop: loop) { [unowned self] in end(with: .tookTooLong) }
    timer.start(after: limit)
    deadline = timer
  }

  private func onLoop(_ command: @escaping @Sendable (SessionTask) -> Void) {
    if loop.isCurrent {
      command(self)
    } else {
      loop.execute { command(self) }
    }
  }

  private func change(from: State, to: State) -> Bool {
    currentState.compareExchange(expected: from, desired: to, ordering: .acquiringAndReleasing).exchanged
  }
}

extension SessionTask.Work {
  fileprivate var requestHead: RequestHead? {
    switch self {
    case .exchange(let request): request.head
    case .stream: nil
    }
  }
}

// MARK: - For transports: what happened

extension SessionTask {
  /// Another attempt of the exchange begins.
  package func beginAttempt(at instant: MonotonicInstant) {
    if exchangeAttempts > 0 { describeRequest() }
    exchangeAttempts += 1
    metrics.beginAttempt(at: instant)
    proxyChallengeIsAnswerable = false
  }

  /// The task is about to fail with a connection of its client's, before the server has said anything.
  func noteLossOfReusedConnection() {
    endsForClient = metrics.connection?.isReused ?? false
  }

  /// The process's own requests are described in its metrics. A request that is only passed on belongs to its client.
  private func describeRequest() {
    guard case .exchange(let request) = work else { return }
    switch request.sender {
    case .client: break
    case .ourselves: metrics.describe(request.head)
    }
  }

  /// Nobody asks for the heads of exchanges that are only passed on.
  private func keep(_ head: ResponseHead) {
    guard case .exchange(let request) = work else { return }
    switch request.sender {
    case .client: break
    case .ourselves: notes.content.withLock { $0.answer = Answer(request: request.head, response: head) }
    }
  }

  package func didOpenStream() {
    events?.taskDidOpenStream(self)
  }

  package func didReceiveInformational(_ head: ResponseHead) {
    events?.task(self, didReceiveInformational: head)
  }

  package func didReceive(_ head: ResponseHead) -> ResponseDisposition {
    keep(head)
    return events?.task(self, didReceive: head) ?? .cancel
  }

  /// Delivers bytes; a suspended task wants no more for now.
  package func didReceive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand {
    let demand = events?.task(self, didReceive: bytes, at: instant) ?? .more
    return state == .suspended ? .pause : demand
  }

  /// Where bytes may go that nobody needs to see.
  var outlet: Channel? { events?.taskOutlet(self) }

  /// Nothing more is read of the response to this attempt, which was not the task's answer.
  func didLeave(attempt: Int) {
    events?.task(self, didLeaveAttempt: attempt)
  }

  /// Bytes went to the outlet; a suspended task wants no more for now.
  func didForward(_ count: Int, at instant: MonotonicInstant) -> Demand {
    let demand = events?.task(self, didForward: count, at: instant) ?? .more
    return state == .suspended ? .pause : demand
  }

  package func didReceiveTrailers(_ trailers: HeaderFields) {
    events?.task(self, didReceiveTrailers: trailers)
  }

  package func didEndResponse() {
    events?.taskDidEndResponse(self)
  }

  package func didReceiveEnd() {
    events?.taskDidReceiveEnd(self)
  }

  func passesUnread(_ error: TransportError) -> Bool {
    events?.task(self, passesUnread: error) ?? false
  }

  package func didUpgrade() {
    events?.taskDidUpgrade(self)
  }

  package func nextBodyChunk(limit: Int) -> BodyChunk {
    if let bytes = gathered.take(atMost: limit) { return .bytes(bytes) }
    return gathered.isWhole ? .end : sourceChunk(limit: limit)
  }

  /// The source's next chunk, whatever was gathered before.
  func sourceChunk(limit: Int) -> BodyChunk {
    events?.taskNeedsBody(self, limit: limit) ?? .end
  }

  package var trailers: HeaderFields? {
    events?.taskTrailers(self)
  }

  package func didSendBody(_ count: Int) {
    let news = gathered.countNew(of: count)
    if news > 0 { events?.task(self, didSendBody: news) }
  }

  package func canSendMore() {
    events?.taskCanSendMore(self)
  }

  /// Ends the task, once: metrics first, then completion. Later calls do nothing.
  package func complete(with error: TransportError?) {
    loop.preconditionCurrent()
    guard currentState.exchange(.completed, ordering: .acquiringAndReleasing) != .completed else { return }
    carrier = nil
    deadline = nil
    let listener = events
    events = nil
    describeRequest()
    listener?.taskDidGatherMetrics(self)
    listener?.task(self, didCompleteWith: error.map { $0.kind == .cancelled ? endingError ?? $0 : $0 })
  }
}

/// The facts of a task of the process's own that any thread may read.
private final class TaskNotes: Sendable {
  struct Content: Sendable {
    var answer: SessionTask.Answer?
    var original: RequestHead?
    var current: RequestHead?
    var text: String?
  }

  let content = Mutex(Content())
}
