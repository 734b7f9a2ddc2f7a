internal import TapelineTransport

// Elements are yielded where they arise, not on a queue, so a handler that blocks does not delay the tasks that await. Each
// sequence ends with the request and does not affect it: if you stop listening, nothing is cancelled.
extension Request {
  /// The progress of the response's body.
  ///
  /// - Parameter bufferingPolicy: which elements wait for a slow listener; by default only the latest.
  public func downloadProgress(
    bufferingPolicy: AsyncStream<Progress>.Continuation.BufferingPolicy = .bufferingNewest(1)
  ) -> AsyncStream<Progress> {
    sequence(bufferingPolicy) { handler in mutableState.write { $0.downloadProgressHandler = handler } }
  }

  /// The progress of the request's body.
  ///
  /// - Parameter bufferingPolicy: which elements wait for a slow listener; by default only the latest.
  public func uploadProgress(
    bufferingPolicy: AsyncStream<Progress>.Continuation.BufferingPolicy = .bufferingNewest(1)
  ) -> AsyncStream<Progress> {
    sequence(bufferingPolicy) { handler in mutableState.write { $0.uploadProgressHandler = handler } }
  }

  /// The task of each attempt.
  public func urlSessionTasks() -> AsyncStream<SessionTask> {
    sequence(.unbounded) { onURLSessionTaskCreation($0) }
  }

  /// The `URLRequest` of each attempt.
  public func urlRequests() -> AsyncStream<URLRequest> {
    sequence(.unbounded) { onURLRequestCreation($0) }
  }

  /// The curl command of each attempt.
  public func cURLDescriptions() -> AsyncStream<String> {
    sequence(.unbounded) { onCURLDescription($0, ofEveryAttempt: true) }
  }

  /// The elements that `listen` gives to its handler until the request has ended.
  func sequence<Element: Sendable>(
    _ bufferingPolicy: AsyncStream<Element>.Continuation.BufferingPolicy,
    listen: (Handler<Element>) -> Void
  ) -> AsyncStream<Element> {
    let (elements, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: bufferingPolicy)
    listen(Handler(queue: nil) { continuation.yield($0) })
    onFinish { continuation.finish() }
    return elements
  }
}

/// The response that a handler gets once, for any number of tasks that await it.
struct PendingResponse<Response: Sendable>: Sendable {
  let request: Request
  private let cancels: Bool
  /// Ends with the handler's call, which always comes.
  private let delivery: Task<Response, Never>

  /// - Parameter attach: gives the request a handler that is called in place, not on a queue.
  ///
  /// Attaches the handler before it returns: the order of handlers is the order of the calls.
  init(_ request: Request, cancels: Bool, attach: (@escaping @Sendable (Response) -> Void) -> Void) {
    self.request = request
    self.cancels = cancels
    let (responses, continuation) = AsyncStream.makeStream(of: Response.self)
    attach { response in
      continuation.yield(response)
      continuation.finish()
    }
    delivery = Task {
      for await response in responses { return response }
      preconditionFailure("each handler is called, exactly once")
    }
  }

  var value: Response {
    get async {
      guard cancels else { return await delivery.value }
      return await withTaskCancellationHandler {
        await delivery.value
      } onCancel: {
        request.cancel()
      }
    }
  }
}
