internal import FoundationEssentials
package import TapelineHTTP
package import TapelineTime
package import TapelineTransport

/// The events of a request's task go to the `TaskDelegate`, unless a closure that the user has set takes them. In the root
/// context.
extension Request: TaskOwner {
  package func taskDidOpenStream(_ task: SessionTask) {
    delegate.taskDidOpenStream()
  }

  package func task(_ task: SessionTask, didReceiveInformational head: ResponseHead) {
    guard let request = task.requestHead else { return }
    delegate.taskDidReceiveInformational(HTTPURLResponse(head: head, request: request))
  }

  package func task(_ task: SessionTask, didReceive head: ResponseHead) -> TapelineTransport.ResponseDisposition {
    guard let requestHead = task.requestHead else { return .cancel }
    delegate.stampInitialResponse(at: task.metrics.marks[.responseFirstByte] ?? .now)
    let response = HTTPURLResponse(head: head, request: requestHead)
    if let waiting = followUps?.receive(response, of: task, deliver: { [self] in deliver($0, of: task) }) { return waiting }
    return deliver(response, of: task)
  }

  /// Delivers the final head of the task, once it is clear that it is the answer.
  private func deliver(_ response: HTTPURLResponse, of task: SessionTask) -> TapelineTransport.ResponseDisposition {
    mutableState.write { $0.response = response }
    if let disposition = engine.delegate.overrides?.dataTaskDidReceiveResponse?(task, response) { return disposition }
    return delegate.taskDidReceive(response)
  }

  package func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand {
    delegate.stampInitialResponse(at: instant)
    if let override = engine.delegate.overrides?.dataTaskDidReceiveData {
      override(task, Data(copying: bytes))
      return .more
    }
    return delegate.taskDidReceive(bytes)
  }

  package func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {
    delegate.taskDidReceiveTrailers(HTTPHeaders(trailers))
  }

  package func taskDidReceiveEnd(_ task: SessionTask) {
    delegate.taskDidReceiveEnd()
  }

  package func taskDidUpgrade(_ task: SessionTask) {
    delegate.taskDidUpgrade()
  }

  package func taskNeedsBody(_ task: SessionTask, limit: Int) -> BodyChunk {
    delegate.taskNeedsBody(limit: limit)
  }

  package func taskTrailers(_ task: SessionTask) -> HeaderFields? {
    delegate.taskTrailers?.fields
  }

  package func task(_ task: SessionTask, didSendBody count: Int) {
    delegate.taskDidSendBody(count)
  }

  package func taskCanSendMore(_ task: SessionTask) {
    delegate.taskCanSendMore()
  }

  package func task(_ task: SessionTask, didFinishCollecting metrics: TaskMetrics) {
    didGatherMetrics(metrics)
  }

  package func task(_ task: SessionTask, didCompleteWith error: TransportError?) {
    taskDidComplete(task, with: error)
  }
}
