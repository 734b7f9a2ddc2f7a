/// An adapter made from a closure.
public struct Adapter: RequestInterceptor {
  /// Gets the request, the session and the completion to call.
  public typealias Handler =
    @Sendable (URLRequest, Session, @escaping @Sendable (Result<URLRequest, any Error>) -> Void) -> Void

  private let handler: Handler

  /// Adapts with `handler`.
  public init(_ handler: @escaping Handler) {
    self.handler = handler
  }

  public func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    handler(urlRequest, session, completion)
  }
}

extension RequestAdapter where Self == Adapter {
  /// Adapts with `closure`.
  public static func adapter(using closure: @escaping Adapter.Handler) -> Adapter {
    Adapter(closure)
  }
}
