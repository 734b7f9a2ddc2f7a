internal import FoundationEssentials
internal import Synchronization
package import TapelineHTTP
package import TapelineLoop
package import TapelineTime
public import TapelineTransport

/// Receives every event of its session's tasks and decides who handles it: monitors are told first, then a closure that the user has set
/// takes it, else the `TaskDelegate` of the request that the task belongs to.
///
/// Safety: `@unchecked Sendable` because `Session`, its owner, is. The overrides are behind a lock; the rest is written before
/// the session is used.
@dynamicMemberLookup
public final class SessionDelegate: @unchecked Sendable {
  /// Knows the requests.
  package internal(set) var stateProvider: (any SessionStateProvider)?
  /// `nil` when nobody listens.
  package internal(set) var eventMonitor: (any EventMonitor)?
  private let setOverrides = Protected(SessionOverrides())
  /// Whether an override was ever set: without one, no event takes the lock.
  private let isOverridden = Atomic(false)

  /// A delegate for one session.
  public init() {}

  /// The request a task belongs to, until the task has ended. On the session's loop.
  public subscript(task: SessionTask) -> Request? {
    task.loop.preconditionCurrent()
    return stateProvider?.request(for: task)
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

  /// `nil` as long as none was ever set.
  package var overrides: SessionOverrides? {
    isOverridden.load(ordering: .acquiring) ? setOverrides.wrappedValue : nil
  }

  private func delegate(of task: SessionTask) -> TaskDelegate? {
    stateProvider?.request(for: task)?.delegate
  }

  /// The final head of a task, once it is clear that it is the answer.
  private func deliver(_ response: HTTPURLResponse, to request: Request, of task: SessionTask) -> ResponseDisposition {
    request.didReceive(response)
    if let disposition = overrides?.dataTaskDidReceiveResponse?(task, response) { return disposition }
    return request.delegate.taskDidReceive(response)
  }
}

extension SessionDelegate: SessionTaskEvents {
  package func taskDidOpenStream(_ task: SessionTask) {
    delegate(of: task)?.taskDidOpenStream()
  }

  package func task(_ task: SessionTask, didReceiveInformational head: ResponseHead) {
    guard let delegate = delegate(of: task), let request = task.requestHead else { return }
    delegate.taskDidReceiveInformational(HTTPURLResponse(head: head, request: request))
  }

  package func task(_ task: SessionTask, didReceive head: ResponseHead) -> ResponseDisposition {
    guard let provider = stateProvider, let request = provider.request(for: task), let requestHead = task.requestHead else {
      return .cancel
    }
    request.delegate.stampInitialResponse(at: task.metrics.marks[.responseFirstByte] ?? .now)
    let response = HTTPURLResponse(head: head, request: requestHead)
    eventMonitor?.task(task, didReceive: response)
    if !request.isForwarded, let followUps = provider.followUps(for: task) {
      let waiting = followUps.receive(response, of: task) { [unowned self] in deliver($0, to: request, of: task) }
      if let waiting { return waiting }
    }
    return deliver(response, to: request, of: task)
  }

  package func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand {
    guard let delegate = delegate(of: task) else { return .more }
    delegate.stampInitialResponse(at: instant)
    if let eventMonitor { eventMonitor.task(task, didReceive: Data(copying: bytes)) }
    if let override = overrides?.dataTaskDidReceiveData {
      override(task, Data(copying: bytes))
      return .more
    }
    return delegate.taskDidReceive(bytes)
  }

  package func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {
    delegate(of: task)?.taskDidReceiveTrailers(HTTPHeaders(trailers))
  }

  package func taskDidReceiveEnd(_ task: SessionTask) {
    delegate(of: task)?.taskDidReceiveEnd()
  }

  package func taskDidUpgrade(_ task: SessionTask) {
    delegate(of: task)?.taskDidUpgrade()
  }

  package func taskNeedsBody(_ task: SessionTask, limit: Int) -> BodyChunk {
    if let override = overrides?.taskNeedsBodyData { return override(task, limit) }
    return delegate(of: task)?.taskNeedsBody(limit: limit) ?? .end
  }

  package func taskTrailers(_ task: SessionTask) -> HeaderFields? {
    delegate(of: task)?.taskTrailers?.fields
  }

  package func task(_ task: SessionTask, didSendBody count: Int) {
    eventMonitor?.task(task, didSendBodyData: count)
    if let override = overrides?.taskDidSendBodyData { return override(task, count) }
    delegate(of: task)?.taskDidSendBody(count)
  }

  package func taskCanSendMore(_ task: SessionTask) {
    delegate(of: task)?.taskCanSendMore()
  }

  package func task(_ task: SessionTask, didFinishCollecting metrics: TaskMetrics) {
    eventMonitor?.task(task, didFinishCollecting: metrics)
    overrides?.taskDidFinishCollecting?(task, metrics)
    stateProvider?.didGatherMetrics(metrics, for: task)
  }

  package func task(_ task: SessionTask, didCompleteWith error: TransportError?) {
    eventMonitor?.task(task, didCompleteWithError: error)
    overrides?.taskDidComplete?(task, error)
    stateProvider?.didCompleteTask(task, with: error)
  }
}
