public import FoundationEssentials
public import TapelineTransport

/// A response with its body, as a cache would keep it.
public struct CachedURLResponse: Sendable {
  /// The head.
  public let response: HTTPURLResponse
  /// The body, content codings undone where the library had asked for them.
  public let data: Data

  /// A head and a body.
  public init(response: HTTPURLResponse, data: Data) {
    self.response = response
    self.data = data
  }
}

/// Where a session puts responses that may be kept. The library has no cache of its own: what is kept, and for whom, is up to this.
public protocol ResponseCache: Sendable {
  /// Called on the session's request queue with each response of a data request that may be kept (RFC 9111 3): the answer to a GET, with a
  /// status that can be kept by default, complete, and without `no-store` on either side.
  func store(_ response: CachedURLResponse, for request: URLRequest)
}

/// Decides whether a response is kept, and as what.
public protocol CachedResponseHandler: Sendable {
  /// Called on the session's request queue before a response is kept; `completion` may be called from anywhere, once, with what is kept:
  /// the response, another one, or `nil` for nothing.
  func dataTask(
    _ task: SessionTask, willCacheResponse response: CachedURLResponse,
    completion: @escaping @Sendable (CachedURLResponse?) -> Void)
}

/// The handlers that most need: keep, do not keep, or have a closure decide.
public struct ResponseCacher: CachedResponseHandler {
  /// What becomes of a response.
  public enum Behavior: Sendable {
    /// It is kept as it is.
    case cache
    /// It is not kept.
    case doNotCache
    /// The closure makes what is kept; `nil`: nothing is.
    case modify(@Sendable (SessionTask, CachedURLResponse) -> CachedURLResponse?)
  }

  /// Keeps responses.
  public static let cache = ResponseCacher(behavior: .cache)
  /// Keeps none.
  public static let doNotCache = ResponseCacher(behavior: .doNotCache)

  /// What this one does.
  public let behavior: Behavior

  /// A handler that does this.
  public init(behavior: Behavior) {
    self.behavior = behavior
  }

  /// Decides at once.
  public func dataTask(
    _ task: SessionTask, willCacheResponse response: CachedURLResponse,
    completion: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    switch behavior {
    case .cache: completion(response)
    case .doNotCache: completion(nil)
    case .modify(let modify): completion(modify(task, response))
    }
  }
}

extension CachedResponseHandler where Self == ResponseCacher {
  /// Keeps responses.
  public static var cache: ResponseCacher { .cache }

  /// Keeps none.
  public static var doNotCache: ResponseCacher { .doNotCache }

  /// Has `closure` make what is kept.
  public static func modify(
    using closure: @escaping @Sendable (SessionTask, CachedURLResponse) -> CachedURLResponse?
  ) -> ResponseCacher {
    ResponseCacher(behavior: .modify(closure))
  }
}
