package import TapelineHTTP
package import TapelineLoop
package import TapelineTime
public import TapelineTransport

/// Receives every event of its session's tasks and hands each to the `TaskDelegate` of the request the task belongs to.
///
/// Safety: `@unchecked Sendable` because `Session`, its owner, is; the registry is touched on the session's loop only.
public final class SessionDelegate: @unchecked Sendable {
  /// The registry; loop-bound.
  private var requests = RequestTaskMap()
  /// A completion that came before its metrics waits here.
  private var waitingCompletions: [Int: TransportError?] = [:]

  init() {}

  /// The request a task belongs to, until the task has ended.
  public subscript(task: SessionTask) -> Request? {
    task.loop.preconditionCurrent()
    return requests[task]
  }

  /// Tasks that have not ended.
  package var taskCount: Int { requests.count }

  func associate(_ request: Request, with task: SessionTask) {
    requests.associate(request, with: task)
  }

  private func delegate(of task: SessionTask) -> TaskDelegate? {
    requests[task]?.delegate
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
    guard let delegate = delegate(of: task), let request = task.requestHead else { return .cancel }
    delegate.stampInitialResponse(at: task.metrics.marks[.responseFirstByte] ?? .now)
    return delegate.taskDidReceive(HTTPURLResponse(head: head, request: request))
  }

  package func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand {
    guard let delegate = delegate(of: task) else { return .more }
    delegate.stampInitialResponse(at: instant)
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
    delegate(of: task)?.taskNeedsBody(limit: limit) ?? .end
  }

  package func taskTrailers(_ task: SessionTask) -> HeaderFields? {
    delegate(of: task)?.taskTrailers?.fields
  }

  package func task(_ task: SessionTask, didSendBody count: Int) {
    delegate(of: task)?.taskDidSendBody(count)
  }

  package func taskCanSendMore(_ task: SessionTask) {
    delegate(of: task)?.taskCanSendMore()
  }

  package func task(_ task: SessionTask, didFinishCollecting metrics: TaskMetrics) {
    guard let request = requests[task] else { return }
    request.delegate.finishCollecting(metrics)
    requests.didGatherMetrics(for: task)
    if let error = waitingCompletions.removeValue(forKey: task.taskIdentifier) {
      request.didComplete(with: error)
    }
  }

  package func task(_ task: SessionTask, didCompleteWith error: TransportError?) {
    guard let request = requests[task] else { return }
    if requests.didComplete(task) {
      request.didComplete(with: error)
    } else {
      waitingCompletions.updateValue(error, forKey: task.taskIdentifier)
    }
  }
}
