public import TapelineTransport

/// Decides whether a redirection is followed, and with which request.
public protocol RedirectHandler: Sendable {
  /// Called on the session's request queue. Call `completion` once, from any thread, at once or later.
  ///
  /// - Parameters:
  ///   - task: the task, whose response is `response`.
  ///   - request: the request that would be sent. If it goes to another origin, it has already lost `Authorization`, `Cookie` and
  ///     `Proxy-Authorization`.
  ///   - completion: takes the request to send, which may be another one; `nil` makes `response` the answer.
  func task(
    _ task: SessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse,
    completion: @escaping @Sendable (URLRequest?) -> Void)
}
