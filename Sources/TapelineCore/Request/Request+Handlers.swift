public import Dispatch
public import TapelineTransport

/// Closures with which a user follows a request. From any thread; one closure of each kind.
extension Request {
  /// Calls `closure` on `queue`, or on the session's callback queue, each time bytes of the request's body were sent.
  @discardableResult
  public func uploadProgress(queue: DispatchQueue? = nil, closure: @escaping @Sendable (Progress) -> Void) -> Self {
    mutableState.write { $0.uploadProgressHandler = Handler(queue: queue ?? engine.callbackQueue, closure: closure) }
    return self
  }

  /// Calls `closure` on `queue`, or on the session's callback queue, each time bytes of the response's body came.
  @discardableResult
  public func downloadProgress(queue: DispatchQueue? = nil, closure: @escaping @Sendable (Progress) -> Void) -> Self {
    mutableState.write { $0.downloadProgressHandler = Handler(queue: queue ?? engine.callbackQueue, closure: closure) }
    return self
  }

  /// Calls `handler` on `queue`, or on the session's callback queue, with the `URLRequest` of each attempt; at once, if one
  /// exists already.
  @discardableResult
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
  public func onURLSessionTaskCreation(
    on queue: DispatchQueue? = nil, perform handler: @escaping @Sendable (SessionTask) -> Void
  ) -> Self {
    let handler = Handler(queue: queue ?? engine.callbackQueue, closure: handler)
    let existing = mutableState.write { state in
      state.taskHandler = handler
      return state.tasks.last
    }
    if let existing { handler.call(existing) }
    return self
  }

  /// Calls `handler` on `queue`, or on the session's callback queue, with the request as a cURL command: when its `URLRequest`
  /// was made, or could not be made; at once, if one exists already. Every handler is called.
  @discardableResult
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
    if let url = request.url, let cookies = engine.configuration.httpCookieStorage?.cookies(for: url), !cookies.isEmpty {
      sessionHeaders.append(name: "Cookie", value: cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; "))
    }
    return request.cURLDescription(
      credential: mutableState.credential.map { ($0.user, $0.password) }, sessionHeaders: sessionHeaders)
  }

  /// Calls `handler` in the session's own context when everything has ended and the handlers have been issued; at once, if that
  /// is so already.
  @discardableResult
  public func onFinish(perform handler: @escaping @Sendable () -> Void) -> Self {
    let hasEnded = mutableState.write { state in
      if !state.isProcessingFinished { state.finishHandlers.append(handler) }
      return state.isProcessingFinished
    }
    if hasEnded { engine.root.async(handler) }
    return self
  }

  // MARK: For subclasses and task delegates

  /// Appends a check of the response. It runs in the root context when the attempt has ended, unless an earlier check failed, the
  /// request failed, or there is no response. It returns an error if the check fails.
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
}
