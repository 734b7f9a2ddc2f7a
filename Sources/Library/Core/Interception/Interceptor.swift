/// Several adapters and retriers as one: each adapter gets the request that the previous adapter made; retriers are asked until
/// one decides.
public struct Interceptor: RequestInterceptor {
  /// In the order in which they adapt.
  public let adapters: [any RequestAdapter]
  /// In the order in which they are asked.
  public let retriers: [any RequestRetrier]

  /// All of `adapters`, then the interceptors as adapters; all of `retriers`, then the interceptors as retriers.
  ///
  /// - Parameters:
  ///   - adapters: in the order in which they adapt.
  ///   - retriers: in the order in which they are asked.
  ///   - interceptors: adapt after the adapters, and are asked after the retriers.
  public init(
    adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [], interceptors: [any RequestInterceptor] = []
  ) {
    self.adapters = adapters + interceptors
    self.retriers = retriers + interceptors
  }

  /// One adapter and one retrier.
  public init(adapter: any RequestAdapter, retrier: any RequestRetrier) {
    self.init(adapters: [adapter], retriers: [retrier])
  }

  /// An adapter and a retrier made from closures.
  @preconcurrency
  public init(adaptHandler: @escaping AdaptHandler, retryHandler: @escaping RetryHandler) {
    self.init(adapter: Adapter(adaptHandler), retrier: Retrier(retryHandler))
  }

  @preconcurrency
  public func adapt(
    _ urlRequest: URLRequest, using state: RequestAdapterState,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    adapt(urlRequest, using: state, by: adapters[...], completion: completion)
  }

  @preconcurrency
  public func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    adapt(urlRequest, using: RequestAdapterState(requestID: 0, session: session), completion: completion)
  }

  private func adapt(
    _ urlRequest: URLRequest, using state: RequestAdapterState, by remaining: ArraySlice<any RequestAdapter>,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    guard let adapter = remaining.first else { return completion(.success(urlRequest)) }
    adapter.adaptPreferringInline(urlRequest, using: state) { result in
      switch result {
      case .success(let adapted): adapt(adapted, using: state, by: remaining.dropFirst(), completion: completion)
      case .failure: completion(result)
      }
    }
  }

  @preconcurrency
  public func retry(
    _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    retry(request, for: session, dueTo: error, by: retriers[...], completion: completion)
  }

  private func retry(
    _ request: Request, for session: Session, dueTo error: any Error, by remaining: ArraySlice<any RequestRetrier>,
    completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    guard let retrier = remaining.first else { return completion(.doNotRetry) }
    retrier.retry(request, for: session, dueTo: error) { result in
      switch result {
      case .retry, .retryWithDelay, .doNotRetryWithError: completion(result)
      case .doNotRetry: retry(request, for: session, dueTo: error, by: remaining.dropFirst(), completion: completion)
      }
    }
  }
}

extension RequestAdapter {
  /// Asks the inline form, and the form with a completion if the inline form declines.
  func adaptPreferringInline(
    _ urlRequest: URLRequest, using state: RequestAdapterState,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    var adapted = urlRequest
    do {
      if try adaptInline(&adapted, using: state) { return completion(.success(adapted)) }
    } catch {
      return completion(.failure(error))
    }
    adapt(urlRequest, using: state, completion: completion)
  }
}

extension RequestInterceptor where Self == Interceptor {
  /// An adapter closure and a retrier closure as one interceptor.
  @preconcurrency
  public static func interceptor(
    adapter: @escaping Adapter.Handler, retrier: @escaping Retrier.Handler
  ) -> Interceptor {
    Interceptor(adaptHandler: adapter, retryHandler: retrier)
  }

  /// One adapter and one retrier as one interceptor.
  public static func interceptor(adapter: any RequestAdapter, retrier: any RequestRetrier) -> Interceptor {
    Interceptor(adapter: adapter, retrier: retrier)
  }

  /// Several adapters, retriers and interceptors as one.
  ///
  /// - Parameters:
  ///   - adapters: in the order in which they adapt.
  ///   - retriers: in the order in which they are asked.
  ///   - interceptors: adapt after the adapters, and are asked after the retriers.
  public static func interceptor(
    adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [], interceptors: [any RequestInterceptor] = []
  ) -> Interceptor {
    Interceptor(adapters: adapters, retriers: retriers, interceptors: interceptors)
  }
}

/// The closure of an `Adapter`.
public typealias AdaptHandler = Adapter.Handler

/// The closure of a `Retrier`.
public typealias RetryHandler = Retrier.Handler

/// An adapter made from a closure.
public struct Adapter: RequestInterceptor {
  /// Gets the request, the session and the completion to call.
  public typealias Handler =
    @Sendable (URLRequest, Session, @escaping @Sendable (Result<URLRequest, any Error>) -> Void) -> Void

  private let handler: Handler

  /// Adapts with `handler`.
  @preconcurrency
  public init(_ handler: @escaping Handler) {
    self.handler = handler
  }

  @preconcurrency
  public func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    handler(urlRequest, session, completion)
  }
}

extension RequestAdapter where Self == Adapter {
  /// Adapts with `closure`.
  @preconcurrency
  public static func adapter(using closure: @escaping Adapter.Handler) -> Adapter {
    Adapter(closure)
  }
}

/// A retrier made from a closure.
public struct Retrier: RequestInterceptor {
  /// Gets the request, the session, the error and the completion to call.
  public typealias Handler = @Sendable (Request, Session, any Error, @escaping @Sendable (RetryResult) -> Void) -> Void

  private let handler: Handler

  /// Decides with `handler`.
  @preconcurrency
  public init(_ handler: @escaping Handler) {
    self.handler = handler
  }

  @preconcurrency
  public func retry(
    _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    handler(request, session, error, completion)
  }
}

extension RequestRetrier where Self == Retrier {
  /// Decides with `closure`.
  @preconcurrency
  public static func retrier(using closure: @escaping Retrier.Handler) -> Retrier {
    Retrier(closure)
  }
}
