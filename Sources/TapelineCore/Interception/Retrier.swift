/// A retrier made from a closure.
public struct Retrier: RequestInterceptor {
  /// Gets the request, the session, the error and the completion to call.
  public typealias Handler = @Sendable (Request, Session, any Error, @escaping @Sendable (RetryResult) -> Void) -> Void

  private let handler: Handler

  /// Decides with `handler`.
  public init(_ handler: @escaping Handler) {
    self.handler = handler
  }

  public func retry(
    _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    handler(request, session, error, completion)
  }
}

extension RequestRetrier where Self == Retrier {
  /// Decides with `closure`.
  public static func retrier(using closure: @escaping Retrier.Handler) -> Retrier {
    Retrier(closure)
  }
}
