/// May change a request before it is sent. The session asks it on its request queue, for every attempt.
public protocol RequestAdapter: Sendable {
  /// Calls `completion` once, from any thread, with the request to send in place of `urlRequest`; a failure fails the request.
  func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void)

  /// Like the form above, for adapters that need more than the session. The default calls the form above.
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

  public func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    adapt(urlRequest, using: RequestAdapterState(requestID: 0, session: session), completion: completion)
  }
}
