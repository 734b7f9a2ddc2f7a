package import Dispatch
internal import Synchronization
internal import TapelineTime
package import TapelineTransport

/// The times of a response whose value has been made.
package struct ResponseTiming: Sendable {
  package let timeline: Timeline
  /// Seconds that the serializer took.
  package let serializationDuration: TimeInterval
  package let metrics: TaskMetrics?
}

/// The pump: serializers run one after the other once the gate is open, each in the serialization context; then all completions
/// are called in the order attached, each on its own queue.
///
/// There are two lists: the serializers, and the completions that finished serializers have left. The count of completions is
/// the index of the next serializer. The pump moves in the root context, so it runs once however many ways lead to it.
extension Request {
  /// Where a handler is called.
  package enum Delivery: Sendable {
    /// On the queue; `nil`: on the session's callback queue.
    case queue(DispatchQueue?)
    /// In the root context, without waiting: for callers that `await`, which a blocked handler must not hold up.
    case inPlace
  }

  /// Attaches a handler. The request keeps the closures, so they must not keep the request: it is alive when they are called.
  /// `serialize` makes a value from the body, `answer` makes a response from the value, and
  /// `completionHandler` gets the response.
  ///
  /// - Parameters:
  ///   - delivery: where the handler is called.
  ///   - retries: whether the retriers are asked about a failure of `serialize`.
  ///   - serialize: runs in the serialization context, even when the request failed.
  ///   - answer: runs in the root context.
  ///   - announce: tells a monitor; runs in the root context.
  @discardableResult
  package final func respond<Value: Sendable, Answer: Sendable>(
    on delivery: Delivery, retries: Bool = true,
    serialize: @escaping @Sendable () -> Result<Value, TapelineError>,
    answer: @escaping @Sendable (Result<Value, TapelineError>, ResponseTiming) -> Answer,
    announce: (@Sendable (any EventMonitor, Answer) -> Void)? = nil,
    completionHandler: @escaping @Sendable (Answer) -> Void
  ) -> Self {
    let queue =
      switch delivery {
      case .queue(let queue): queue ?? engine.callbackQueue
      case .inPlace: DispatchQueue?.none
      }
    let handler = Handler(queue: queue, closure: completionHandler)
    append { [unowned self] in
      let began = MonotonicInstant.now
      let result = serialize()
      let ended = MonotonicInstant.now
      engine.root.async { [self] in
        decide(about: result, retries: retries) { [self] result in
          let response = answer(result, timing(from: began, to: ended))
          if let eventMonitor, let announce { announce(eventMonitor, response) }
          serializerDidComplete { handler.call(response) }
        }
      }
    }
    return self
  }

  /// Attaches a handler that needs no value: `work` is called in the root context when the handlers are called.
  @discardableResult
  package final func onCompletion(_ work: @escaping @Sendable () -> Void) -> Self {
    append { [unowned self] in
      engine.root.async { [self] in serializerDidComplete(work) }
    }
    return self
  }

  private func timing(from began: MonotonicInstant, to ended: MonotonicInstant) -> ResponseTiming {
    ResponseTiming(
      timeline: timeline(serializedAt: ended),
      serializationDuration: Double(ended.nanoseconds(since: began)) / 1e9, metrics: metrics)
  }

  /// Goes on with the result, or with another attempt, if a retrier wants one: then the values made so far are dropped, and all
  /// serializers run again. In the root context.
  private func decide<Value: Sendable>(
    about result: Result<Value, TapelineError>, retries: Bool,
    goOn: @escaping @Sendable (Result<Value, TapelineError>) -> Void
  ) {
    guard retries, case .failure(let error) = result, !isCancelled, let owner, owner.hasRetrier(for: self) else {
      return goOn(result)
    }
    ask(owner, about: error) { [self] decision in
      // If it was cancelled meanwhile, it is not sent again, and its handlers are called.
      guard !isCancelled else { return goOn(result) }
      switch decision {
      case .doNotRetry: goOn(result)
      case .doNotRetryWithError(let error): goOn(.failure(error.asTapelineError(or: .sessionTaskFailed(error: error))))
      case .retry: retry(after: nil)
      case .retryWithDelay(let delay): retry(after: delay)
      }
    }
  }

  // MARK: The pump

  /// Attaches a serializer. From any thread. The first one starts the request, unless it was started or suspended. A serializer
  /// that is attached after the end revives the pump and a finished request.
  private func append(_ serializer: @escaping @Sendable () -> Void) {
    precondition(source != nil, "a raw stream has a task delegate in place of handlers")
    let wakes = mutableState.write { state in
      state.serializers.append(serializer)
      guard state.isProcessingFinished else { return false }
      state.isProcessingFinished = false
      _ = currentState.compareExchange(expected: .finished, desired: .resumed, ordering: .acquiringAndReleasing)
      return true
    }
    if wakes {
      engine.root.async { [self] in processNextSerializer() }
    } else if state == .initialized, resumesAutomatically {
      resume()
    }
  }

  /// Runs the next serializer; after the last, calls the completions. In the root context.
  func processNextSerializer() {
    guard !isSerializing else { return }
    enum Step {
      case serialize(@Sendable () -> Void)
      case complete([@Sendable () -> Void])
    }
    let step = mutableState.write { state -> Step in
      if state.completions.count < state.serializers.count { return .serialize(state.serializers[state.completions.count]) }
      // Emptied before the users' code is called, because that code may come back here.
      defer {
        state.serializers = []
        state.completions = []
        state.isProcessingFinished = true
        _ = transition(to: .finished)
      }
      return .complete(state.completions)
    }
    switch step {
    case .serialize(let serializer):
      isSerializing = true
      engine.serializationContext.async { [self] in withExtendedLifetime(self, serializer) }
    case .complete(let completions):
      for completion in completions { completion() }
      cleanup()
    }
  }

  private func serializerDidComplete(_ completion: @escaping @Sendable () -> Void) {
    isSerializing = false
    mutableState.write { $0.completions.append(completion) }
    processNextSerializer()
  }
}
