public import Dispatch
package import TapelineLoop
public import TapelineTransport

/// Closures with which a user follows a request. From any thread; one closure of each kind.
extension Request {
  /// Calls `closure` on `queue`, or on the session's callback queue, each time bytes of the request's body were sent.
  @discardableResult
  @preconcurrency
  public func uploadProgress(queue: DispatchQueue? = nil, closure: @escaping @Sendable (Progress) -> Void) -> Self {
    mutableState.write { $0.uploadProgressHandler = Handler(queue: queue ?? engine.callbackQueue, closure: closure) }
    return self
  }

  /// Calls `closure` on `queue`, or on the session's callback queue, each time bytes of the response's body came.
  @discardableResult
  @preconcurrency
  public func downloadProgress(queue: DispatchQueue? = nil, closure: @escaping @Sendable (Progress) -> Void) -> Self {
    mutableState.write { $0.downloadProgressHandler = Handler(queue: queue ?? engine.callbackQueue, closure: closure) }
    return self
  }

  /// Calls `handler` on `queue`, or on the session's callback queue, with the `URLRequest` of each attempt; at once, if one
  /// exists already.
  @discardableResult
  @preconcurrency
  public func onURLRequestCreation(
    on queue: DispatchQueue? = nil, perform handler: @escaping @Sendable (URLRequest) -> Void
  ) -> Self {
    onURLRequestCreation(Handler(queue: queue ?? engine.callbackQueue, closure: handler))
    return self
  }

  final func onURLRequestCreation(_ handler: Handler<URLRequest>) {
    let existing = mutableState.write { state in
      state.urlRequestHandler = handler
      return state.requests.last
    }
    if let existing { handler.call(existing) }
  }

  /// Calls `handler` on `queue`, or on the session's callback queue, with the task of each attempt; at once, if one exists
  /// already.
  @discardableResult
  @preconcurrency
  public func onURLSessionTaskCreation(
    on queue: DispatchQueue? = nil, perform handler: @escaping @Sendable (SessionTask) -> Void
  ) -> Self {
    onURLSessionTaskCreation(Handler(queue: queue ?? engine.callbackQueue, closure: handler))
    return self
  }

  final func onURLSessionTaskCreation(_ handler: Handler<SessionTask>) {
    let existing = mutableState.write { state in
      state.taskHandler = handler
      return state.tasks.last
    }
    if let existing { handler.call(existing) }
  }

  /// Calls `handler` on `queue`, or on the session's callback queue, with the request as a cURL command: when its `URLRequest`
  /// was made, or could not be made; at once, if one exists already. Every handler is called.
  @discardableResult
  @preconcurrency
  public func cURLDescription(on queue: DispatchQueue? = nil, calling handler: @escaping @Sendable (String) -> Void) -> Self {
    onCURLDescription(Handler(queue: queue ?? engine.callbackQueue, closure: handler), ofEveryAttempt: false)
    return self
  }

  final func onCURLDescription(_ handler: Handler<String>, ofEveryAttempt isLasting: Bool) {
    let exists = mutableState.write { state in
      let exists = !state.requests.isEmpty
      if isLasting || !exists { state.cURLHandlers.append(CURLHandler(handler: handler, isLasting: isLasting)) }
      return exists
    }
    if exists { handler.call(cURLDescription()) }
  }

  /// The request as a cURL command, if it was made.
  public func cURLDescription() -> String {
    guard let request else { return "$ curl command could not be created" }
    var sessionHeaders = engine.configuration.headers
    if let url = request.url, let cookies = engine.configuration.cookies?.cookies(for: url), !cookies.isEmpty {
      sessionHeaders.append(name: "Cookie", value: cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; "))
    }
    return request.cURLDescription(
      credential: mutableState.credential.map { ($0.user, $0.password) }, sessionHeaders: sessionHeaders)
  }

  /// Calls `handler` in the session's own context when everything has ended and the handlers have been issued; at once, if that
  /// is so already.
  @discardableResult
  @preconcurrency
  public func onFinish(perform handler: @escaping @Sendable () -> Void) -> Self {
    let hasEnded = mutableState.write { state in
      if !state.isProcessingFinished { state.finishHandlers.append(handler) }
      return state.isProcessingFinished
    }
    if hasEnded { engine.root.async(handler) }
    return self
  }

  // MARK: For subclasses and task delegates

  /// Appends a check of the response. It runs in the root context when the attempt has ended, unless an earlier check failed,
  /// the request failed, or there is no response. It returns an error if the check fails.
  package func addValidator(_ validator: @escaping @Sendable () -> (any Error)?) {
    mutableState.write { $0.validators.append(validator) }
  }

  /// `total` is -1 when it is not known.
  package func updateUploadProgress(completed: Int64, total: Int64) {
    let handler = mutableState.write { state in
      state.uploadProgress = Progress(totalUnitCount: total, completedUnitCount: completed)
      return state.uploadProgressHandler
    }
    handler?.call(Progress(totalUnitCount: total, completedUnitCount: completed))
  }

  /// `total` is -1 when it is not known.
  package func updateDownloadProgress(completed: Int64, total: Int64) {
    let handler = mutableState.write { state in
      state.downloadProgress = Progress(totalUnitCount: total, completedUnitCount: completed)
      return state.downloadProgressHandler
    }
    handler?.call(Progress(totalUnitCount: total, completedUnitCount: completed))
  }

  // MARK: Redirections and challenges

  /// Lets `handler` decide about redirections, in place of the session's handler. Call it before the request is started; the
  /// last of several calls counts.
  @discardableResult
  public func redirect(using handler: any RedirectHandler) -> Self {
    mutableState.write { $0.redirectHandler = handler }
    return self
  }

  /// Answers challenges with this name and password.
  ///
  /// - Parameters:
  ///   - username: the name.
  ///   - password: the password.
  ///   - persistence: how long the credential is kept.
  /// - Returns: this request.
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
      credential: credential, storage: engine.configuration.credentials, cookies: engine.configuration.cookies,
      challengeOverride: engine.delegate.overrides?.challengeOverride,
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
    if let overrides = delegate.overrides, let override = overrides.closures.taskWillPerformHTTPRedirection {
      completion(override(overrides.session, task, response, request))
    } else if let handler {
      handler.task(task, willBeRedirectedTo: request, for: response, completion: completion)
    } else {
      completion(request)
    }
  }
}
