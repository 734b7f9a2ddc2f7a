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
    if let overrides = engine.delegate.overrides, let override = overrides.closures.dataTaskDidReceiveResponse {
      return override(overrides.session, task, response)
    }
    return delegate.taskDidReceive(response)
  }

  package func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand {
    delegate.stampInitialResponse(at: instant)
    if let overrides = engine.delegate.overrides, let override = overrides.closures.dataTaskDidReceiveData {
      override(overrides.session, task, Data(copying: bytes))
      return .more
    }
    return delegate.taskDidReceive(bytes)
  }

  package func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {
    let trailers = HTTPHeaders(trailers)
    if source != nil { mutableState.write { $0.trailers = trailers } }
    delegate.taskDidReceiveTrailers(trailers)
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

  package func taskDidGatherMetrics(_ task: SessionTask) {
    didGatherMetrics(task.metrics)
  }

  package func task(_ task: SessionTask, didCompleteWith error: TransportError?) {
    engine.delegate.forget(task)
    taskDidComplete(task, with: error)
  }
}

/// From the end of a task to the end of the request. In the root context.
extension Request {
  /// Finishes the attempt after its task has completed and its metrics have arrived.
  func conclude(_ task: SessionTask, with error: TransportError?) {
    stage = .completing
    followUps = nil
    // The cancel command itself may still be on its way here.
    if isCancelled { noteCancellation() }
    let failure =
      task.evaluationFailure.map(TapelineError.serverTrust) ?? error.map { .sessionTaskFailed(error: SessionTaskError($0)) }
    guard delegate.hasWorkToFinish else { return settle(task, failure) }
    let once = Once()
    delegate.finishWork(after: mutableState.error ?? failure) { [self] in
      guard once.claim() else { return }
      onRoot { [self] in settle(task, failure) }
    }
  }

  /// Keeps the first error, validates, and goes on with another attempt or to the end.
  private func settle(_ task: SessionTask, _ failure: TapelineError?) {
    let kept = mutableState.error
    guard delegate.complete(with: kept ?? failure) else { return }
    if let error = delegate.error { keep(error.asTapelineError(or: .sessionTaskFailed(error: error))) }
    if mutableState.error == nil { didReceiveAll(task) }
    validate()
    let error = mutableState.error
    eventMonitor?.request(self, didCompleteTask: task, with: error)
    retryOrFinish(error)
  }

  /// Runs the validators in the order attached, up to the first that fails.
  private func validate() {
    guard mutableState.error == nil, mutableState.response != nil else { return }
    for validator in mutableState.validators {
      guard let error = validator() else { continue }
      return keep(error.asTapelineError(or: .responseValidationFailed(reason: .customValidationFailed(error: error))))
    }
  }

  // MARK: Another attempt, or the end

  /// A retrier is asked about an error, but never about a request that was cancelled.
  func retryOrFinish(_ error: TapelineError?) {
    guard !isCancelled, let error, let owner, owner.hasRetrier(for: self) else { return finish() }
    stage = .deciding
    ask(owner, about: error) { [self] result in didDecide(result) }
  }

  /// Asks the retriers in the request context, and calls `goOn` in the root context with their answer: after they have
  /// returned, because many set a state of their own after they have answered.
  func ask(
    _ owner: any RequestDelegate, about error: TapelineError, _ goOn: @escaping @Sendable (RetryResult) -> Void
  ) {
    let context = engine.requestContext
    context.async { [self] in
      let once = Once()
      owner.retryResult(for: self, dueTo: error) { [self] result in
        guard once.claim() else { return }
        context.async { [self] in engine.root.async { goOn(result) } }
      }
    }
  }

  private func didDecide(_ result: RetryResult) {
    // If it was cancelled meanwhile, the request has finished.
    guard stage == .deciding else { return }
    switch result {
    case .doNotRetry:
      finish()
    case .doNotRetryWithError(let error):
      mutableState.write { $0.error = error.asTapelineError(or: .sessionTaskFailed(error: error)) }
      finish()
    case .retry:
      retry(after: nil)
    case .retryWithDelay(let delay):
      retry(after: delay)
    }
  }

  func retry(after delay: TimeInterval?) {
    guard let owner else { return finish(.sessionDeinitialized) }
    owner.retryRequest(self, withDelay: delay)
  }

  /// Resets the request to its state before the start, except for its handlers.
  func prepareForRetry() {
    mutableState.write { $0.retryCount += 1 }
    reset()
    stage = .waiting
    eventMonitor?.requestIsRetrying(self)
  }

  /// There will be no other attempt. Opens the gate.
  func finish(_ error: TapelineError? = nil) {
    guard stage != .finished else { return }
    delayedAttempt?.cancel()
    delayedAttempt = nil
    if let error { keep(error) }
    delegate.queue.open()
  }

  /// Adds the first operation to the gate. It stamps the end, then adds an operation that starts the pump after all waiting
  /// operations. So *end time < every operation < every serializer < every handler* holds no matter which code opens the gate.
  func guardGate() {
    _ = delegate.queue.enqueue { [weak self] in
      guard let self else { return }
      delegate.stampEnd(at: .now)
      _ = delegate.queue.enqueue { [self] in onRoot { [self] in gateDidOpen() } }
    }
  }

  /// Makes operations that are added after the end run in the root context.
  func bindGate() {
    delegate.queue.onWake { [weak delegate, root = engine.root] in
      root.async { [weak delegate] in delegate?.queue.drain() }
    }
  }

  private func gateDidOpen() {
    guard stage != .finished else { return }
    if isCancelled { noteCancellation() }
    stage = .finished
    processNextSerializer()
    eventMonitor?.requestDidFinish(self)
  }
}
