internal import TapelineTransport

// Elements are yielded where they arise, not on a queue: a handler that stands still holds up none of those who await. Each sequence
// ends with the request, and has no bearing on it: to stop listening cancels nothing.
extension Request {
  /// How far the response's body has come.
  ///
  /// - Parameter bufferingPolicy: what waits for a slow listener; by default the latest alone.
  public func downloadProgress(
    bufferingPolicy: AsyncStream<Progress>.Continuation.BufferingPolicy = .bufferingNewest(1)
  ) -> AsyncStream<Progress> {
    sequence(bufferingPolicy) { handler in mutableState.write { $0.downloadProgressHandler = handler } }
  }

  /// How far the request's body has gone.
  ///
  /// - Parameter bufferingPolicy: what waits for a slow listener; by default the latest alone.
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

  /// What `listen` gives to its handler until the request has ended.
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
