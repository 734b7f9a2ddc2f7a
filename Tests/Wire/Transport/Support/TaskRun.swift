import Dispatch
import Synchronization
import TapelineHTTP
import TapelineHTTP2
import TapelineLoop
import TapelineTime

@testable import TapelineTransport

/// One task and what became of it.
struct TaskRun: Sendable {
  struct Outcome: Sendable {
    var events: [String] = []
    /// The bytes of the response body, or of the stream.
    var received: [UInt8] = []
    var metrics = TaskMetrics()
    var error: TransportError?
  }

  struct Overdue: Error {
    let events: [String]
  }

  let task: SessionTask
  private let listener: TaskListener

  /// What the listener says to a response head. On the loop.
  typealias Answer = @Sendable (_ task: SessionTask, _ head: ResponseHead) -> ResponseDisposition

  init(
    _ work: SessionTask.Work, body: [UInt8], timeouts: TaskTimeouts? = nil, answer: Answer? = nil, identifier: Int,
    on transport: NetworkTransport
  ) {
    listener = TaskListener(body: body, answer: answer)
    task = SessionTask(taskIdentifier: identifier, work: work, loop: transport.loop, transport: transport, events: listener)
    task.timeouts = timeouts
  }

  var outcome: Outcome { listener.outcome }

  /// The body does not end with what is given: `feed` gives more.
  func keepBodyOpen() { listener.isOpen.store(true, ordering: .relaxed) }

  /// Adds to the body, and ends it perhaps.
  func feed(_ bytes: [UInt8], isLast: Bool = false, trailers: HeaderFields? = nil) {
    listener.feed(bytes, isLast: isLast, trailers: trailers)
    task.loop.executeAndWait { [task] in task.bodyBecameAvailable() }
  }

  /// Offers the next bytes of the body. Answers whether they were sent.
  func offer(_ bytes: [UInt8]) -> Bool {
    task.loop.executeAndWait { [task] in task.sendBody(bytes.span) }
  }

  func cancel(_ code: HTTP2ErrorCode) {
    task.loop.executeAndWait { [task] in
      task.cancelCode = code
      task.cancel()
    }
  }

  /// How the task ended.
  func wait() throws -> Outcome {
    try waitUntil { $0.events.last?.hasPrefix("complete") == true }
  }

  @discardableResult
  func waitForEvent(_ event: String) throws -> Outcome {
    try waitUntil { $0.events.contains(event) }
  }

  func waitForBytes(_ count: Int) throws -> [UInt8] {
    try waitUntil { $0.received.count >= count }.received
  }

  /// The receiver answers `pause` from here on.
  func pause() { listener.pauses.store(true, ordering: .relaxed) }

  func resume() {
    listener.pauses.store(false, ordering: .relaxed)
    task.loop.executeAndWait { [task] in task.resumeReceiving() }
  }

  /// Sends on a stream task.
  @discardableResult
  func send(_ text: String) -> Demand {
    task.loop.executeAndWait { [task] in task.send(Array(text.utf8).span) }
  }

  func finishSending() {
    task.loop.executeAndWait { [task] in task.finishSending() }
  }

  func updatePriority(_ value: String) {
    task.loop.executeAndWait { [task] in task.updatePriority(value) }
  }

  func decide(_ decision: ResponseDecision) {
    task.loop.executeAndWait { [task] in task.decide(decision) }
  }

  private func waitUntil(_ condition: (Outcome) -> Bool) throws -> Outcome {
    let deadline = DispatchTime.now() + 120
    while true {
      let outcome = listener.outcome
      if condition(outcome) { return outcome }
      guard listener.happened.wait(timeout: deadline) == .success else { throw Overdue(events: outcome.events) }
    }
  }
}

/// Writes down a task's events.
private final class TaskListener: SessionTaskEvents, Sendable {
  private let state = Mutex(TaskRun.Outcome())
  private let body: Mutex<[UInt8]>
  private let wholeBody: [UInt8]
  private let answer: TaskRun.Answer?
  let pauses = Atomic<Bool>(false)
  let isOpen = Atomic<Bool>(false)
  private let trailers = Mutex<HeaderFields?>(nil)
  /// Signalled with every event.
  let happened = DispatchSemaphore(value: 0)

  init(body: [UInt8], answer: TaskRun.Answer?) {
    self.body = Mutex(body)
    wholeBody = body
    self.answer = answer
  }

  var outcome: TaskRun.Outcome { state.withLock { $0 } }

  private func note(_ event: String, _ more: (inout TaskRun.Outcome) -> Void = { _ in }) {
    state.withLock { outcome in
      outcome.events.append(event)
      more(&outcome)
    }
    happened.signal()
  }

  func taskDidOpenStream(_ task: SessionTask) { note("open") }

  func task(_ task: SessionTask, didReceiveInformational head: ResponseHead) { note("informational \(head.status)") }

  func task(_ task: SessionTask, didReceive head: ResponseHead) -> ResponseDisposition {
    note("head \(head.status)")
    guard let answer else { return .proceed }
    // Whatever is decided, the body begins anew.
    body.withLock { $0 = wholeBody }
    return answer(task, head)
  }

  func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand {
    let bytes = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    note("body \(String(decoding: bytes.prefix(80), as: UTF8.self))") { $0.received += bytes }
    return pauses.load(ordering: .relaxed) ? .pause : .more
  }

  func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {
    note("trailers " + trailers.map { "\($0.name): \($0.value)" }.joined(separator: ", "))
  }

  func taskDidEndResponse(_ task: SessionTask) { note("end of response") }

  func taskDidReceiveEnd(_ task: SessionTask) { note("end") }

  func taskDidUpgrade(_ task: SessionTask) { note("upgrade") }

  func taskNeedsBody(_ task: SessionTask, limit: Int) -> BodyChunk {
    body.withLock { body in
      guard !body.isEmpty else { return isOpen.load(ordering: .relaxed) ? .later : .end }
      defer { body.removeFirst(min(limit, body.count)) }
      return .bytes(Array(body.prefix(limit)))
    }
  }

  func taskTrailers(_ task: SessionTask) -> HeaderFields? { trailers.withLock { $0 } }

  func feed(_ bytes: [UInt8], isLast: Bool, trailers section: HeaderFields?) {
    body.withLock { $0 += bytes }
    trailers.withLock { $0 = section }
    if isLast { isOpen.store(false, ordering: .relaxed) }
  }

  func task(_ task: SessionTask, didSendBody count: Int) {}

  func taskCanSendMore(_ task: SessionTask) { note("can send more") }

  func taskDidGatherMetrics(_ task: SessionTask) {
    note("metrics") { $0.metrics = task.metrics }
  }

  func task(_ task: SessionTask, didCompleteWith error: TransportError?) {
    note("complete \(error.map { "\($0.kind)" } ?? "nil")") { $0.error = error }
  }
}
