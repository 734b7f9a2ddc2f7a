/// Decides whether a request that failed is sent again: asked when its task has failed, and when a serializer has.
///
/// It is not asked about a request that was cancelled.
public protocol RequestRetrier: Sendable {
  /// Calls `completion`, once, from anywhere, with the decision.
  func retry(
    _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void)
}

/// What a retrier wants done.
public enum RetryResult: Sendable {
  /// Send it again, now.
  case retry
  /// Send it again after so many seconds.
  case retryWithDelay(TimeInterval)
  /// Leave it; the next retrier is asked.
  case doNotRetry
  /// Leave it, with this error in place of its own; no other retrier is asked.
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

  /// Seconds to wait before the request is sent again, where the retrier has said how many.
  public var delay: TimeInterval? {
    if case .retryWithDelay(let delay) = self { delay } else { nil }
  }

  /// What the retrier wants reported in place of the request's own error.
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
