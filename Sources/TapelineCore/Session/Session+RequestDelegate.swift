internal import TapelineTransport

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
