internal import TapelineTransport

/// From the start of an attempt to its task. User code on the way runs in the request context.
extension Request {
  /// Starts an attempt, once. In the root context.
  func perform() {
    guard stage == .idle, !isCancelled else { return }
    guard let owner else { return finish(.sessionDeinitialized) }
    engine.insert(self)
    stage = .settingUp
    attempt += 1
    let adaptation = owner.adaptation(for: self)
    engine.requestContext.async { [self, attempt] in setUp(attempt, adaptation) }
  }

  /// Starts another attempt, when the delay before it has passed.
  func performAgain(after delay: TimeInterval) {
    guard delay > 0 else { return performAgain() }
    delayedAttempt = engine.root.async(after: delay.duration) { [self] in
      delayedAttempt = nil
      performAgain()
    }
  }

  private func performAgain() {
    guard stage == .waiting else { return }
    stage = .idle
    if state == .resumed { stampStart() }
    perform()
  }

  // MARK: In the request context

  private func setUp(_ attempt: UInt, _ adaptation: RequestAdaptation?) {
    let initial: URLRequest
    do {
      initial = try urlRequest()
    } catch {
      return didNotCreate(nil, attempt, error.asTapelineError(or: .createURLRequestFailed(error: error)))
    }
    do throws(TapelineError) {
      try initial.validate()
    } catch {
      // An adapter may complete a URL, such as a path alone.
      guard adaptation != nil, error.isRefusalOfURL else { return didNotCreate(initial, attempt, error) }
    }
    inAttempt(attempt) { request in request.didCreateInitial(initial) }
    guard !isCancelled else { return }
    guard let adaptation else { return complete(attempt, initial) }
    let once = Once()
    adaptation.adapter.adaptPreferringInline(initial, using: adaptation.state) { [self] result in
      guard once.claim() else { return }
      // After the adapter has returned.
      engine.requestContext.async { [self] in didAdapt(attempt, initial, result) }
    }
  }

  /// - Parameter refused: the request that may not be sent; its response has it, and measurements of nothing.
  private func didNotCreate(_ refused: URLRequest?, _ attempt: UInt, _ error: TapelineError) {
    inAttempt(attempt) { request in
      if let refused {
        request.mutableState.write { state in
          state.requests.append(refused)
          state.metrics.append(TaskMetrics())
        }
      }
      request.eventMonitor?.request(request, didFailToCreateURLRequestWithError: error)
      request.didFailSetUp(error)
    }
  }

  private func didAdapt(_ attempt: UInt, _ initial: URLRequest, _ result: Result<URLRequest, any Error>) {
    do {
      let adapted = try result.get()
      do throws(TapelineError) {
        try adapted.validate()
      } catch {
        // The adapter is not to blame for a URL that it has left as it was.
        if error.isRefusalOfURL, adapted.url == initial.url { return didNotCreate(adapted, attempt, error) }
        throw error
      }
      inAttempt(attempt) { request in request.didAdapt(initial, to: adapted) }
      guard !isCancelled else { return }
      complete(attempt, adapted)
    } catch {
      let error = TapelineError.requestAdaptationFailed(error: error)
      inAttempt(attempt) { request in
        request.eventMonitor?.request(request, didFailToAdaptURLRequest: initial, withError: error)
        request.didFailSetUp(error)
      }
    }
  }

  private func complete(_ attempt: UInt, _ adapted: URLRequest) {
    do {
      let prepared = try prepare(adapted)
      inAttempt(attempt) { request in request.didCreate(prepared) }
    } catch {
      let error = error.asTapelineError(or: .createUploadableFailed(error: error))
      inAttempt(attempt) { request in request.didFailSetUp(error) }
    }
  }

  /// Runs `work` in the root context, unless the attempt has ended meanwhile.
  private func inAttempt(_ attempt: UInt, _ work: @escaping @Sendable (Request) -> Void) {
    engine.root.async { [self] in
      guard stage == .settingUp, self.attempt == attempt, !isCancelled else { return }
      work(self)
    }
  }

  // MARK: In the root context

  private func didCreateInitial(_ initial: URLRequest) {
    mutableState.write { $0.requests.append(initial) }
    eventMonitor?.request(self, didCreateInitialURLRequest: initial)
  }

  private func didAdapt(_ initial: URLRequest, to adapted: URLRequest) {
    mutableState.write { $0.requests.append(adapted) }
    eventMonitor?.request(self, didAdaptInitialRequest: initial, to: adapted)
  }

  private func didCreate(_ urlRequest: URLRequest) {
    let (urlRequestHandler, cURLHandlers) = mutableState.write { state in
      if state.requests.last != urlRequest { state.requests.append(urlRequest) }
      return (state.urlRequestHandler, state.takeCURLHandlers())
    }
    urlRequestHandler?.call(urlRequest)
    for handler in cURLHandlers { handler.call(cURLDescription()) }
    eventMonitor?.request(self, didCreateURLRequest: urlRequest)
    do {
      try makeTask(for: urlRequest)
    } catch {
      let cause = (error as? TransportError).map { SessionTaskError($0) } ?? error
      didFailSetUp(error.asTapelineError(or: .sessionTaskFailed(error: cause)))
    }
  }

  private func makeTask(for urlRequest: URLRequest) throws {
    let followUps = makeFollowUps()
    let task = try Requestable(urlRequest: urlRequest).task(of: self, followUps: followUps)
    self.followUps = followUps
    engine.associate(self, with: task)
    engine.delegate.enter(self, for: task)
    delegate.task = task
    delegate.setBody(urlRequest.httpBody)
    stage = .running
    let handler = mutableState.write { state in
      state.tasks.append(task)
      return state.taskHandler
    }
    handler?.call(task)
    eventMonitor?.request(self, didCreateTask: task)
    updateStates(of: task)
  }

  private func didFailSetUp(_ error: TapelineError) {
    keep(error)
    for handler in mutableState.write({ $0.takeCURLHandlers() }) { handler.call(cURLDescription()) }
    retryOrFinish(error)
  }
}

extension SessionConfiguration {
  /// The request with the fields that all requests of the session have, except those that it has itself.
  func completing(_ request: URLRequest) -> URLRequest {
    var complete = request
    for header in headers where !request.headers.contains(name: header.name) {
      complete.headers.append(header)
    }
    return complete
  }
}

/// A request that is complete, adapted and prepared: makes the task of an attempt.
private struct Requestable {
  let urlRequest: URLRequest

  /// In the root context.
  func task(of request: Request, followUps: FollowUps) throws -> SessionTask {
    let configuration = request.engine.configuration
    let complete = followUps.prepare(configuration.completing(urlRequest))
    let outgoing = request.engine.usingPrewarmed(try request.outgoing(for: complete))
    let task = try request.engine.makeTask(.exchange(outgoing))
    task.note(outgoing.head)
    task.timeouts = TaskTimeouts(
      requestSeconds: urlRequest.timeoutInterval, resourceSeconds: configuration.timeoutIntervalForResource)
    return task
  }
}

extension TapelineError {
  /// Whether a request may not be sent because of its URL.
  fileprivate var isRefusalOfURL: Bool {
    guard case .urlRequestValidationFailed(let reason) = self else { return false }
    return switch reason {
    case .missingURL, .unsupportedScheme, .invalidHost: true
    case .bodyDataInGETRequest, .invalidMethod, .invalidHeader, .invalidTarget: false
    }
  }
}
