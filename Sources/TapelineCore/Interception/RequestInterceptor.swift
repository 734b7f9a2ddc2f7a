/// Adapts requests and decides about retries. Both have a default that leaves everything as it is.
public protocol RequestInterceptor: RequestAdapter, RequestRetrier {}

extension RequestInterceptor {
  public func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    completion(.success(urlRequest))
  }

  public func retry(
    _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    completion(.doNotRetry)
  }
}

extension RequestInterceptor where Self: AsyncRequestAdapter {
  public func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    adapt(urlRequest, using: RequestAdapterState(requestID: 0, session: session), completion: completion)
  }
}

extension RequestInterceptor where Self: AsyncRequestRetrier {
  public func retry(
    _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    Task { completion(await retry(request, for: session, dueTo: error)) }
  }
}
