package import TapelineLoop
public import TapelineTransport

extension Request {
  /// Lets `handler` decide about redirections, in place of the session's handler. Call it before the request is started; the last
  /// of several calls counts.
  @discardableResult
  public func redirect(using handler: any RedirectHandler) -> Self {
    mutableState.write { $0.redirectHandler = handler }
    return self
  }

  /// Answers challenges with this name and password.
  @discardableResult
  public func authenticate(
    username: String, password: String, persistence: Credential.Persistence = .forSession
  ) -> Self {
    authenticate(with: Credential(user: username, password: password, persistence: persistence))
  }

  /// Answers challenges with `credential`. Call it before the request is started.
  @discardableResult
  public func authenticate(with credential: Credential) -> Self {
    mutableState.write { $0.credential = credential }
    return self
  }

  /// Makes the object that decides about redirections and challenges of the next task. In the root context.
  func makeFollowUps() -> FollowUps {
    let (handler, credential) = mutableState.read { ($0.redirectHandler, $0.credential) }
    return FollowUps(
      host: self, authentication: engine.authentication,
      redirectHandler: OverridableRedirectHandler(delegate: engine.delegate, handler: handler ?? owner?.redirectHandler),
      credential: credential, storage: engine.configuration.credentials, cookies: engine.configuration.httpCookieStorage,
      challengeOverride: engine.delegate.overrides?.taskDidReceiveChallenge,
      maximumRedirects: engine.configuration.maximumRedirects)
  }
}

extension Request: FollowUpHost {
  package var loop: EventLoop {
    guard let task = delegate.task else { preconditionFailure("a task is followed up when there is one") }
    return task.loop
  }

  package var followUpContext: any SerialContext { engine.requestContext }

  package func renewBody() -> Bool {
    delegate.taskNeedsNewBody()
  }

  package func willFollow(_ request: URLRequest, after response: HTTPURLResponse) {
    delegate.setBody(request.httpBody)
    guard let task = delegate.task else { return }
    eventMonitor?.task(task, willBeRedirectedTo: request, for: response)
  }

  package func didFailToFollow(_ error: TapelineError) {
    keep(error)
  }
}

/// Asks the session's override if one is set, else the handler; without either, follows the redirection.
private struct OverridableRedirectHandler: RedirectHandler {
  let delegate: SessionDelegate
  let handler: (any RedirectHandler)?

  func task(
    _ task: SessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse,
    completion: @escaping @Sendable (URLRequest?) -> Void
  ) {
    if let override = delegate.taskWillPerformHTTPRedirection {
      completion(override(task, response, request))
    } else if let handler {
      handler.task(task, willBeRedirectedTo: request, for: response, completion: completion)
    } else {
      completion(request)
    }
  }
}
