internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// From the end of a task to the end of the request. In the root context.
extension Request {
  /// Finishes the attempt after its task has completed and its metrics have arrived.
  func conclude(_ task: SessionTask, with error: TransportError?) {
    stage = .completing
    followUps = nil
    // The cancel command itself may still be on its way here.
    if isCancelled { keep(.explicitlyCancelled) }
    let failure = task.evaluationFailure.map(TapelineError.serverTrust) ?? error.map { .sessionTaskFailed(error: $0) }
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
    guard !isCancelled, let error, let owner else { return finish() }
    stage = .deciding
    let once = Once()
    owner.retryResult(for: self, dueTo: error) { [self] result in
      guard once.claim() else { return }
      onRoot { [self] in didDecide(result) }
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
    stage = .finished
    processNextSerializer()
    eventMonitor?.requestDidFinish(self)
  }
}
