/// Adapts requests and decides about retries. Both have a default that leaves everything as it is.
///
/// ```swift
/// struct Stamp: RequestInterceptor {
///   func adapt(
///     _ urlRequest: URLRequest, for session: Session, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
///   ) {
///     var stamped = urlRequest
///     stamped.headers.update(name: "X-Stamp", value: "1")
///     completion(.success(stamped))
///   }
/// }
/// ```
public protocol RequestInterceptor: RequestAdapter, RequestRetrier {}

extension RequestInterceptor {
  @preconcurrency
  public func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    completion(.success(urlRequest))
  }

  @preconcurrency
  public func retry(
    _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    completion(.doNotRetry)
  }
}

extension RequestInterceptor where Self: AsyncRequestAdapter {
  @preconcurrency
  public func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    adapt(urlRequest, using: RequestAdapterState(requestID: 0, session: session), completion: completion)
  }
}

extension RequestInterceptor where Self: AsyncRequestRetrier {
  @preconcurrency
  public func retry(
    _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    Task { completion(await retry(request, for: session, dueTo: error)) }
  }
}

/// May change a request before it is sent. The session asks it on its request queue, for every attempt.
public protocol RequestAdapter: Sendable {
  /// Calls `completion` once, from any thread, with the request to send in place of `urlRequest`; a failure fails the request.
  ///
  /// - Parameters:
  ///   - urlRequest: the request, as the adapters before this one have made it.
  ///   - session: the session that sends it.
  ///   - completion: called once, from any thread, with the request to send, or why there is none.
  @preconcurrency
  func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void)

  /// Like the form above, for adapters that need more than the session. The default calls the form above.
  ///
  /// - Parameters:
  ///   - urlRequest: the request, as the adapters before this one have made it.
  ///   - state: whose request it is.
  ///   - completion: called once, from any thread, with the request to send, or why there is none.
  @preconcurrency
  func adapt(
    _ urlRequest: URLRequest, using state: RequestAdapterState,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void)

  /// Changes `urlRequest` at once and returns `true`, or declines with `false`; then the form with a completion is called. This
  /// form is called first, so an adapter that never waits needs no completion. The default declines.
  func adaptInline(_ urlRequest: inout URLRequest, using state: RequestAdapterState) throws -> Bool
}

/// Facts about the request that an adapter adapts.
public struct RequestAdapterState: Sendable {
  /// The `id` of the request.
  public let requestID: UInt64
  /// The session that will send it.
  public let session: Session

  /// Made by the session; public so that adapters can be tested.
  public init(requestID: UInt64, session: Session) {
    self.requestID = requestID
    self.session = session
  }
}

extension RequestAdapter {
  @preconcurrency
  public func adapt(
    _ urlRequest: URLRequest, using state: RequestAdapterState,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    adapt(urlRequest, for: state.session, completion: completion)
  }

  public func adaptInline(_ urlRequest: inout URLRequest, using state: RequestAdapterState) throws -> Bool {
    false
  }
}

/// An adapter that is written as an `async` function.
public protocol AsyncRequestAdapter: RequestAdapter {
  /// Returns the request to send in place of `urlRequest`; an error fails the request.
  func adapt(_ urlRequest: URLRequest, using state: RequestAdapterState) async throws -> URLRequest
}

extension AsyncRequestAdapter {
  @preconcurrency
  public func adapt(
    _ urlRequest: URLRequest, using state: RequestAdapterState,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    Task {
      do {
        completion(.success(try await adapt(urlRequest, using: state)))
      } catch {
        completion(.failure(error))
      }
    }
  }

  @preconcurrency
  public func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    adapt(urlRequest, using: RequestAdapterState(requestID: 0, session: session), completion: completion)
  }
}

/// Decides whether a failed request is sent again. It is asked when the request's task or a serializer has failed.
///
/// It is not asked about a request that was cancelled.
public protocol RequestRetrier: Sendable {
  /// Calls `completion` once, from any thread, with the decision.
  ///
  /// - Parameters:
  ///   - request: the request, with its `retryCount` and its `response`.
  ///   - session: the session that sends it.
  ///   - error: why it failed, a `TapelineError`.
  ///   - completion: called once, from any thread.
  @preconcurrency
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
  /// Decides.
  ///
  /// - Parameters:
  ///   - request: the request, with its `retryCount` and its `response`.
  ///   - session: the session that sends it.
  ///   - error: why it failed, a `TapelineError`.
  /// - Returns: the decision.
  func retry(_ request: Request, for session: Session, dueTo error: any Error) async -> RetryResult
}

extension AsyncRequestRetrier {
  @preconcurrency
  public func retry(
    _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    Task { completion(await retry(request, for: session, dueTo: error)) }
  }
}
