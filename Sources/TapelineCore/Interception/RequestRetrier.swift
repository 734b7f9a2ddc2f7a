/// Decides whether a failed request is sent again. It is asked when the request's task or a serializer has failed.
///
/// It is not asked about a request that was cancelled.
public protocol RequestRetrier: Sendable {
  /// Calls `completion` once, from any thread, with the decision.
  func retry(
    _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void)
}

/// The decision of a retrier.
public enum RetryResult: Sendable {
  /// Send it again, now.
  case retry
  /// Send it again after this many seconds.
  case retryWithDelay(TimeInterval)
  /// Do not send it again; the next retrier is asked.
  case doNotRetry
  /// Do not send it again, and report this error in place of its own; no other retrier is asked.
  case doNotRetryWithError(any Error)
}

extension RetryResult {
  /// Whether the request is sent again.
  public var retryRequired: Bool {
    switch self {
    case .retry, .retryWithDelay: true
    case .doNotRetry, .doNotRetryWithError: false
    }
  }

  /// Seconds to wait before the request is sent again, if the retrier asks for a delay.
  public var delay: TimeInterval? {
    if case .retryWithDelay(let delay) = self { delay } else { nil }
  }

  /// The error that the retrier wants reported in place of the request's own.
  public var error: (any Error)? {
    if case .doNotRetryWithError(let error) = self { error } else { nil }
  }
}

/// A retrier that is written as an `async` function.
public protocol AsyncRequestRetrier: RequestRetrier {
  /// Returns the decision.
  func retry(_ request: Request, for session: Session, dueTo error: any Error) async -> RetryResult
}

extension AsyncRequestRetrier {
  public func retry(
    _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    Task { completion(await retry(request, for: session, dueTo: error)) }
  }
}
