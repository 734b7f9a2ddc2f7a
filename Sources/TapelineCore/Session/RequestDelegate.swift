/// The session as its requests see it. A request holds its session weakly: without a session, the request just finishes.
package protocol RequestDelegate: AnyObject, Sendable {
  /// The settings that all requests of the session share.
  var sessionConfiguration: SessionConfiguration { get }
  /// Whether the first handler starts a request.
  var startImmediately: Bool { get }
  /// The adapter of `request`: its own interceptor's adapter, then the session's. `nil` when there is neither.
  func adaptation(for request: Request) -> RequestAdaptation?
  /// Asks the request's own interceptor, then the session's, what to do about `error`. `completion` may be called from any
  /// thread.
  func retryResult(
    for request: Request, dueTo error: TapelineError, completion: @escaping @Sendable (RetryResult) -> Void)
  /// Starts another attempt, after `delay` seconds. In the root context.
  func retryRequest(_ request: Request, withDelay delay: TimeInterval?)
  /// The request has ended and its handlers have been called. In the root context.
  func cleanup(after request: Request)
  /// Decides about redirections, unless the request has its own.
  var redirectHandler: (any RedirectHandler)? { get }
  /// Decides whether responses are kept, unless the request has its own.
  var cachedResponseHandler: (any CachedResponseHandler)? { get }
}

/// How a request is adapted.
package struct RequestAdaptation: Sendable {
  let adapter: any RequestAdapter
  let state: RequestAdapterState
}
