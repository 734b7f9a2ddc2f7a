public import TapelineTransport

/// Decides whether a redirection is followed, and with which request.
public protocol RedirectHandler: Sendable {
  /// Called on the session's request queue; `completion` may be called from anywhere, at once or later, and once.
  ///
  /// - Parameters:
  ///   - task: the task, whose response is `response`.
  ///   - request: what would be sent. On its way to another origin it has already lost `Authorization`, `Cookie` and
  ///     `Proxy-Authorization`.
  ///   - completion: takes the request to send, which may be another one; `nil` makes `response` the answer.
  func task(
    _ task: SessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse,
    completion: @escaping @Sendable (URLRequest?) -> Void)
}
