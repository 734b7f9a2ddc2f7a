internal import FoundationEssentials
internal import Synchronization
package import TapelineHTTP
package import TapelineLoop
package import TapelineTime
public import TapelineTransport

/// Receives every event of its session's tasks and decides who handles it. Monitors are told first. Then a closure that the user
/// has set takes the event, else the owner of the task: for a request, its `TaskDelegate`.
///
/// Safety: `@unchecked Sendable` because `Session`, its owner, is. The overrides are behind a lock; the rest is written before
/// the session is used.
@dynamicMemberLookup
public final class SessionDelegate: @unchecked Sendable {
  /// Knows the owners of the tasks.
  package internal(set) var stateProvider: (any SessionStateProvider)?
  /// `nil` when nobody listens.
  package internal(set) var eventMonitor: CompositeEventMonitor?
  private let setOverrides = Protected(SessionOverrides())
  /// Whether an override was ever set: without one, no event takes the lock.
  private let isOverridden = Atomic(false)

  /// A delegate for one session.
  public init() {}

  /// The request a task belongs to, until the task has ended. On the session's loop.
  public subscript(task: SessionTask) -> Request? {
    task.loop.preconditionCurrent()
    return owner(of: task) as? Request
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

  /// `nil` as long as no override was ever set.
  package var overrides: SessionOverrides? {
    isOverridden.load(ordering: .acquiring) ? setOverrides.wrappedValue : nil
  }

  private func owner(of task: SessionTask) -> (any TaskOwner)? {
    stateProvider?.owner(of: task)
  }
}

extension SessionDelegate: SessionTaskEvents {
  package func taskDidOpenStream(_ task: SessionTask) {
    owner(of: task)?.taskDidOpenStream(task)
  }

  package func task(_ task: SessionTask, didReceiveInformational head: ResponseHead) {
    owner(of: task)?.task(task, didReceiveInformational: head)
  }

  package func task(_ task: SessionTask, didReceive head: ResponseHead) -> ResponseDisposition {
    guard let owner = owner(of: task) else { return .cancel }
    if let eventMonitor, let request = task.requestHead {
      eventMonitor.task(task, didReceive: HTTPURLResponse(head: head, request: request))
    }
    return owner.task(task, didReceive: head)
  }

  package func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand {
    guard let owner = owner(of: task) else { return .more }
    if let eventMonitor { eventMonitor.task(task, didReceive: Data(copying: bytes)) }
    return owner.task(task, didReceive: bytes, at: instant)
  }

  /// Monitors want every byte.
  package func taskOutlet(_ task: SessionTask) -> Channel? {
    eventMonitor == nil ? owner(of: task)?.taskOutlet(task) : nil
  }

  package func task(_ task: SessionTask, didForward count: Int, at instant: MonotonicInstant) -> Demand {
    owner(of: task)?.task(task, didForward: count, at: instant) ?? .more
  }

  package func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {
    owner(of: task)?.task(task, didReceiveTrailers: trailers)
  }

  package func taskDidEndResponse(_ task: SessionTask) {
    owner(of: task)?.taskDidEndResponse(task)
  }

  package func taskDidReceiveEnd(_ task: SessionTask) {
    owner(of: task)?.taskDidReceiveEnd(task)
  }

  package func task(_ task: SessionTask, passesUnread error: TransportError) -> Bool {
    owner(of: task)?.task(task, passesUnread: error) ?? false
  }

  package func taskDidUpgrade(_ task: SessionTask) {
    owner(of: task)?.taskDidUpgrade(task)
  }

  package func taskNeedsBody(_ task: SessionTask, limit: Int) -> BodyChunk {
    if let override = overrides?.taskNeedsBodyData { return override(task, limit) }
    return owner(of: task)?.taskNeedsBody(task, limit: limit) ?? .end
  }

  package func taskTrailers(_ task: SessionTask) -> HeaderFields? {
    owner(of: task)?.taskTrailers(task)
  }

  package func task(_ task: SessionTask, didSendBody count: Int) {
    eventMonitor?.task(task, didSendBodyData: count)
    if let override = overrides?.taskDidSendBodyData { return override(task, count) }
    owner(of: task)?.task(task, didSendBody: count)
  }

  package func taskCanSendMore(_ task: SessionTask) {
    owner(of: task)?.taskCanSendMore(task)
  }

  package func taskDidGatherMetrics(_ task: SessionTask) {
    eventMonitor?.task(task, didFinishCollecting: task.metrics)
    overrides?.taskDidFinishCollecting?(task, task.metrics)
    stateProvider?.didGatherMetrics(of: task)
  }

  package func task(_ task: SessionTask, didCompleteWith error: TransportError?) {
    eventMonitor?.task(task, didCompleteWithError: error)
    overrides?.taskDidComplete?(task, error)
    stateProvider?.didCompleteTask(task, with: error)
  }
}
