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

  /// The `URLRequest` of each attempt.
  public func urlRequests() -> AsyncStream<URLRequest> {
    sequence(.unbounded) { onURLRequestCreation($0) }
  }

  /// The curl command of each attempt.
  public func cURLDescriptions() -> AsyncStream<String> {
    sequence(.unbounded) { onCURLDescription($0, ofEveryAttempt: true) }
  }

  /// The elements that `listen` gives to its handler until the request has ended.
  private func sequence<Element: Sendable>(
    _ bufferingPolicy: AsyncStream<Element>.Continuation.BufferingPolicy,
    listen: (Handler<Element>) -> Void
  ) -> AsyncStream<Element> {
    let (elements, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: bufferingPolicy)
    listen(Handler(queue: nil) { continuation.yield($0) })
    onFinish { continuation.finish() }
    return elements
  }
}
