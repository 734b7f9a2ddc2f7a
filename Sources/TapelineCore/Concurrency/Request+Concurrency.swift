internal import Dispatch
internal import TapelineTransport

// Each sequence ends with the request, and has no bearing on it: whoever stops listening cancels nothing.
extension Request {
  /// How far the response's body has come.
  ///
  /// - Parameter bufferingPolicy: what waits for a slow listener; by default the latest alone.
  public func downloadProgress(
    bufferingPolicy: AsyncStream<Progress>.Continuation.BufferingPolicy = .bufferingNewest(1)
  ) -> AsyncStream<Progress> {
    sequence(bufferingPolicy) { downloadProgress(closure: $0) }
  }

  /// How far the request's body has gone.
  ///
  /// - Parameter bufferingPolicy: what waits for a slow listener; by default the latest alone.
  public func uploadProgress(
    bufferingPolicy: AsyncStream<Progress>.Continuation.BufferingPolicy = .bufferingNewest(1)
  ) -> AsyncStream<Progress> {
    sequence(bufferingPolicy) { uploadProgress(closure: $0) }
  }

  /// The `URLRequest` of each attempt.
  public func urlRequests() -> AsyncStream<URLRequest> {
    sequence(.unbounded) { onURLRequestCreation(perform: $0) }
  }

  /// The curl command of each attempt.
  public func cURLDescriptions() -> AsyncStream<String> {
    sequence(.unbounded) { cURLDescription(calling: $0) }
  }

  /// What `listen` gives to its handler, which is called on the callback queue, until the request has ended.
  private func sequence<Element: Sendable>(
    _ bufferingPolicy: AsyncStream<Element>.Continuation.BufferingPolicy,
    listen: (@escaping @Sendable (Element) -> Void) -> Request
  ) -> AsyncStream<Element> {
    let (elements, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: bufferingPolicy)
    _ = listen { continuation.yield($0) }
    // On the same queue, behind the last call of the handler.
    onFinish { [queue = engine.callbackQueue] in
      queue.async { continuation.finish() }
    }
    return elements
  }
}
