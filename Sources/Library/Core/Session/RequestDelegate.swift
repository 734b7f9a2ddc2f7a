internal import TapelineTransport

/// The session as its requests see it. A request holds its session weakly: without a session, the request just finishes.
package protocol RequestDelegate: AnyObject, Sendable {
  /// The settings that all requests of the session share.
  var sessionConfiguration: SessionConfiguration { get }
  /// Whether the first handler starts a request.
  var startImmediately: Bool { get }
  /// The adapter of `request`: its interceptor's, then the session's, then those that were added to it. `nil` when there is
  /// none.
  func adaptation(for request: Request) -> RequestAdaptation?
  /// Whether somebody can be asked about an error of `request`.
  func hasRetrier(for request: Request) -> Bool
  /// Asks the request's interceptor, then the session's, then the retriers that were added to it, what to do about `error`.
  /// `completion` may be called from any thread. In the request context.
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

/// The parts of a session that making a request needs.
package struct RequestScope {
  let engine: SessionEngine
  let owner: any RequestDelegate
  let interceptor: (any RequestInterceptor)?
  /// In place of the session's setting.
  let shouldAutomaticallyResume: Bool?
}

extension Session: RequestDelegate {
  /// `configuration`.
  public var sessionConfiguration: SessionConfiguration { configuration }

  package var startImmediately: Bool { startRequestsImmediately }

  package func adaptation(for request: Request) -> RequestAdaptation? {
    let common: [(any RequestAdapter)?] = [request.interceptor, interceptor]
    let adapters = common.compactMap { $0 } + request.mutableState.read { $0.adapters }
    guard let only = adapters.first else { return nil }
    return RequestAdaptation(
      adapter: adapters.count == 1 ? only : Interceptor(adapters: adapters),
      state: RequestAdapterState(requestID: request.id, session: self))
  }

  package func hasRetrier(for request: Request) -> Bool {
    request.interceptor != nil || interceptor != nil || request.mutableState.read { !$0.retriers.isEmpty }
  }

  package func retryResult(
    for request: Request, dueTo error: TapelineError, completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    let common: [(any RequestRetrier)?] = [request.interceptor, interceptor]
    let retriers = common.compactMap { $0 } + request.mutableState.read { $0.retriers }
    Interceptor(retriers: retriers).retry(request, for: self, dueTo: error) { result in
      switch result {
      case .retry, .retryWithDelay, .doNotRetry:
        completion(result)
      case .doNotRetryWithError(let retryError):
        completion(.doNotRetryWithError(TapelineError.refusal(retryError, after: error)))
      }
    }
  }

  package func retryRequest(_ request: Request, withDelay delay: TimeInterval?) {
    guard !request.isCancelled else { return request.finish() }
    request.prepareForRetry()
    request.performAgain(after: delay ?? 0)
  }

  package func cleanup(after request: Request) {
    engine.remove(request)
  }
}

extension TapelineError {
  /// A retrier's error around the one that it was asked about, which would be lost otherwise. If it is asked again, about its
  /// own refusal, it is still the first error that is kept.
  fileprivate static func refusal(_ retryError: any Error, after error: TapelineError) -> TapelineError {
    let original: any Error = if case .requestRetryFailed(_, let original) = error { original } else { error }
    let own: any Error =
      if case .requestRetryFailed(let own, _)? = retryError.asTapelineError { own } else { retryError }
    return .requestRetryFailed(retryError: own, originalError: original)
  }
}
