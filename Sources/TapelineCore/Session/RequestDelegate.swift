internal import TapelineTransport

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

/// The parts of a session that making a request needs.
package struct RequestScope {
  let engine: SessionEngine
  let owner: any RequestDelegate
  let interceptor: (any RequestInterceptor)?
  /// In place of the session's setting.
  let shouldAutomaticallyResume: Bool?
}

extension Session: RequestDelegate {
  package var sessionConfiguration: SessionConfiguration { configuration }

  package var startImmediately: Bool { startRequestsImmediately }

  package func adaptation(for request: Request) -> RequestAdaptation? {
    let adapters = [request.interceptor, interceptor].compactMap { $0 }
    guard let only = adapters.first else { return nil }
    return RequestAdaptation(
      adapter: adapters.count == 1 ? only : Interceptor(interceptors: adapters),
      state: RequestAdapterState(requestID: request.id, session: self))
  }

  package func retryResult(
    for request: Request, dueTo error: TapelineError, completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    let retriers = [request.interceptor, interceptor].compactMap { $0 }
    guard !retriers.isEmpty else { return completion(.doNotRetry) }
    Interceptor(interceptors: retriers).retry(request, for: self, dueTo: error) { result in
      switch result {
      case .retry, .retryWithDelay, .doNotRetry:
        completion(result)
      case .doNotRetryWithError(let retryError):
        completion(
          .doNotRetryWithError(
            retryError.asTapelineError(or: .requestRetryFailed(retryError: retryError, originalError: error))))
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
