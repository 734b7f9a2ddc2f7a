internal import FoundationEssentials
internal import Synchronization
package import TapelineHTTP
package import TapelineLoop
package import TapelineTime
public import TapelineTransport

/// Receives every event of its session's tasks and decides who handles it. Monitors are told first. Then a closure that the
/// user has set takes the event, else the owner of the task: for a request, its `TaskDelegate`.
///
/// Safety: `@unchecked Sendable` because `Session`, its owner, is. The overrides are behind a lock; the rest is written before
/// the session is used.
@dynamicMemberLookup
open class SessionDelegate: @unchecked Sendable {
  /// Tasks that have an owner and have not ended. On the loop.
  private(set) var taskCount = 0
  /// Whether it is a session's already.
  var isTaken = false
  /// `nil` when nobody listens.
  package internal(set) var eventMonitor: CompositeEventMonitor?
  /// The session, which the overrides get.
  private let session = Protected(Weak())
  /// The library's requests by the identifiers of their tasks, for any thread. The events of a task find its owner without it.
  private let requests = Protected<[Int: Request]>([:])
  private let setOverrides = Protected(SessionOverrides())
  /// Whether an override was ever set: without one, no event takes the lock.
  private let isOverridden = Atomic(false)

  /// A delegate for one session.
  public init() {}

  private struct Weak: Sendable {
    weak var session: Session?
  }

  /// The request that a task belongs to, until the task has ended. From any thread.
  ///
  /// Setting it hands all further events of the task to another request, with the last one its completion; with `nil` to
  /// nobody, so that the handlers of the task's own request are not called. A task that has ended is left as it is.
  public subscript(task: SessionTask) -> Request? {
    get { requests.read { $0[task.taskIdentifier] } }
    set {
      enter(newValue, for: task)
      if task.loop.isCurrent {
        adopt(newValue, for: task)
      } else {
        task.loop.execute { [self] in adopt(newValue, for: task) }
      }
    }
  }

  /// On the loop.
  private func adopt(_ request: Request?, for task: SessionTask) {
    // The task may have ended on the way here.
    guard task.state != .completed else { return forget(task) }
    setOwner(request, of: task)
  }

  /// Hands further events of a task that has not ended to `owner`; `nil`: to nobody. On the loop.
  func setOwner(_ owner: (any TaskOwner)?, of task: SessionTask) {
    taskCount += (owner == nil ? 0 : 1) - (task.owner == nil ? 0 : 1)
    task.owner = owner
  }

  /// Notes the request that a task belongs to.
  func enter(_ request: Request?, for task: SessionTask) {
    guard task.state != .completed else { return }
    requests.write { $0[task.taskIdentifier] = request }
  }

  /// The task has ended.
  func forget(_ task: SessionTask) {
    requests.write { $0[task.taskIdentifier] = nil }
  }

  /// The delegate belongs to `session` from here on.
  func belong(to session: Session) {
    self.session.wrappedValue = Weak(session: session)
  }

  /// One of the overrides. Set it before the requests that it is meant for are started.
  public subscript<Override>(
    dynamicMember path: any WritableKeyPath<SessionOverrides, Override?> & Sendable
  ) -> Override? {
    get { setOverrides.wrappedValue[keyPath: path] }
    set {
      setOverrides.write { $0[keyPath: path] = newValue }
      isOverridden.store(true, ordering: .releasing)
    }
  }

  /// `nil` as long as no override was ever set, and when the session has been released.
  package var overrides: BoundOverrides? {
    guard isOverridden.load(ordering: .acquiring), let session = session.wrappedValue.session else { return nil }
    return BoundOverrides(session: session, closures: setOverrides.wrappedValue)
  }

  /// The override that is told of the session's end.
  var endOverride: (@Sendable ((any Error)?) -> Void)? {
    isOverridden.load(ordering: .acquiring) ? setOverrides.wrappedValue.sessionDidBecomeInvalidWithError : nil
  }

  /// Decides about servers: asked in each handshake, as long as there is a session.
  var trustOverride: (@Sendable (ServerTrust) -> ServerTrustDisposition)? {
    guard let override = overrides?.closures.sessionDidReceiveChallenge else { return nil }
    return { [session] trust in
      guard let session = session.wrappedValue.session else { return .performDefaultHandling }
      return override(session, trust)
    }
  }
}

extension SessionDelegate: SessionTaskEvents {
  package func taskDidOpenStream(_ task: SessionTask) {
    task.owner?.taskDidOpenStream(task)
  }

  package func task(_ task: SessionTask, didReceiveInformational head: ResponseHead) {
    task.owner?.task(task, didReceiveInformational: head)
  }

  package func task(_ task: SessionTask, didReceive head: ResponseHead) -> ResponseDisposition {
    guard let owner = task.owner else { return .cancel }
    if let eventMonitor, let request = task.requestHead {
      eventMonitor.task(task, didReceive: HTTPURLResponse(head: head, request: request))
    }
    return owner.task(task, didReceive: head)
  }

  package func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand {
    guard let owner = task.owner else { return .more }
    if let eventMonitor { eventMonitor.task(task, didReceive: Data(copying: bytes)) }
    return owner.task(task, didReceive: bytes, at: instant)
  }

  /// Monitors want every byte.
  package func taskOutlet(_ task: SessionTask) -> Channel? {
    eventMonitor == nil ? task.owner?.taskOutlet(task) : nil
  }

  package func task(_ task: SessionTask, didForward count: Int, at instant: MonotonicInstant) -> Demand {
    task.owner?.task(task, didForward: count, at: instant) ?? .more
  }

  package func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {
    task.owner?.task(task, didReceiveTrailers: trailers)
  }

  package func taskDidEndResponse(_ task: SessionTask) {
    task.owner?.taskDidEndResponse(task)
  }

  package func taskDidReceiveEnd(_ task: SessionTask) {
    task.owner?.taskDidReceiveEnd(task)
  }

  package func task(_ task: SessionTask, passesUnread error: TransportError) -> Bool {
    task.owner?.task(task, passesUnread: error) ?? false
  }

  package func taskDidUpgrade(_ task: SessionTask) {
    task.owner?.taskDidUpgrade(task)
  }

  package func taskNeedsBody(_ task: SessionTask, limit: Int) -> BodyChunk {
    if let overrides, let override = overrides.closures.taskNeedsBodyData { return override(overrides.session, task, limit) }
    return task.owner?.taskNeedsBody(task, limit: limit) ?? .end
  }

  package func taskTrailers(_ task: SessionTask) -> HeaderFields? {
    task.owner?.taskTrailers(task)
  }

  package func task(_ task: SessionTask, didSendBody count: Int) {
    eventMonitor?.task(task, didSendBodyData: count)
    if let overrides, let override = overrides.closures.taskDidSendBodyData { return override(overrides.session, task, count) }
    task.owner?.task(task, didSendBody: count)
  }

  package func taskCanSendMore(_ task: SessionTask) {
    task.owner?.taskCanSendMore(task)
  }

  package func taskDidGatherMetrics(_ task: SessionTask) {
    eventMonitor?.task(task, didFinishCollecting: task.metrics)
    if let overrides { overrides.closures.taskDidFinishCollecting?(overrides.session, task, task.metrics) }
    task.owner?.taskDidGatherMetrics(task)
  }

  package func task(_ task: SessionTask, didCompleteWith error: TransportError?) {
    eventMonitor?.task(task, didCompleteWithError: error.map { SessionTaskError($0) })
    if let overrides { overrides.closures.taskDidComplete?(overrides.session, task, error.map { SessionTaskError($0) }) }
    let owner = task.owner
    setOwner(nil, of: task)
    owner?.task(task, didCompleteWith: error)
  }
}

/// Overrides with the session that they get.
package struct BoundOverrides: Sendable {
  package let session: Session
  package let closures: SessionOverrides

  /// Overridden, it answers challenges.
  var challengeOverride: (@Sendable (SessionTask, HTTPAuthenticationChallenge) -> ChallengeDisposition)? {
    guard let override = closures.taskDidReceiveChallenge else { return nil }
    return { [weak session] task, challenge in
      guard let session else { return .performDefaultHandling }
      return override(session, task, challenge)
    }
  }
}
