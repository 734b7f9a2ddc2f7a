/// May change a request before it is sent. Asked on the session's request queue, for every attempt.
public protocol RequestAdapter: Sendable {
  /// Calls `completion`, once, from anywhere, with what is to be sent in place of `urlRequest`; a failure fails the request.
  func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void)

  /// As above, for adapters that want to know more than the session. By default it asks the other form.
  func adapt(
    _ urlRequest: URLRequest, using state: RequestAdapterState,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void)

  /// Changes `urlRequest` at once and answers `true`, or declines with `false`, and then the other form is asked. It is asked
  /// first: an adapter that never waits does without a completion. By default it declines.
  func adaptInline(_ urlRequest: inout URLRequest, using state: RequestAdapterState) throws -> Bool
}

/// What an adapter may want to know of the request it adapts.
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
  /// Returns what is to be sent in place of `urlRequest`; an error fails the request.
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
