public import FoundationEssentials
internal import TapelineHTTP
internal import TapelineBase
public import TapelineTransport

/// A response with its body, as a cache would keep it.
public struct CachedURLResponse: Sendable {
  /// The head.
  public let response: HTTPURLResponse
  /// The body. Content codings that the library asked for are undone.
  public let data: Data

  /// A head and a body.
  public init(response: HTTPURLResponse, data: Data) {
    self.response = response
    self.data = data
  }
}

/// A store for the responses that a session may keep. The library has no cache of its own: the implementation decides what to
/// keep and for whom.
public protocol ResponseCache: Sendable {
  /// Called on the session's request queue with each response of a data request that may be kept (RFC 9111 3): the answer to a
  /// GET, with a status that can be kept by default, complete, and without `no-store` on either side.
  func store(_ response: CachedURLResponse, for request: URLRequest)
}

/// Decides whether a response is kept, and in what form.
public protocol CachedResponseHandler: Sendable {
  /// Called on the session's request queue before a response is kept. Call `completion` once, from any thread, with the
  /// response to keep: this one, another one, or `nil` for none.
  ///
  /// - Parameters:
  ///   - task: the task.
  ///   - response: what would be kept.
  ///   - completion: called once, from any thread.
  @preconcurrency
  func dataTask(
    _ task: SessionTask, willCacheResponse response: CachedURLResponse,
    completion: @escaping @Sendable (CachedURLResponse?) -> Void)
}

/// The handlers that most programs need: keep, do not keep, or let a closure decide.
public struct ResponseCacher: CachedResponseHandler {
  /// How a response is handled.
  public enum Behavior: Sendable {
    /// It is kept as it is.
    case cache
    /// It is not kept.
    case doNotCache
    /// The closure returns the response to keep; `nil` for none.
    case modify(@Sendable (SessionTask, CachedURLResponse) -> CachedURLResponse?)
  }

  /// Keeps responses.
  public static let cache = ResponseCacher(behavior: .cache)
  /// Does not keep responses.
  public static let doNotCache = ResponseCacher(behavior: .doNotCache)

  /// The behaviour of this handler.
  public let behavior: Behavior

  /// A handler with this behaviour.
  public init(behavior: Behavior) {
    self.behavior = behavior
  }

  /// Decides at once.
  @preconcurrency
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

  /// Does not keep responses.
  public static var doNotCache: ResponseCacher { .doNotCache }

  /// Keeps the response that `closure` returns.
  @preconcurrency
  public static func modify(
    using closure: @escaping @Sendable (SessionTask, CachedURLResponse) -> CachedURLResponse?
  ) -> ResponseCacher {
    ResponseCacher(behavior: .modify(closure))
  }
}

extension DataRequest {
  /// Lets `handler` decide whether the response is kept, instead of the session's handler. Call it before the request is
  /// started. The last of several calls counts.
  @discardableResult
  public func cacheResponse(using handler: any CachedResponseHandler) -> Self {
    mutableState.write { $0.cachedResponseHandler = handler }
    return self
  }

  /// Offers the response to the session's cache. In the root context.
  final func offerToCache(_ task: SessionTask) {
    let cache = engine.configuration.responseCache
    let handler = mutableState.cachedResponseHandler ?? owner?.cachedResponseHandler
    guard cache != nil || handler != nil, let request, let response, response.canBeKept, data != nil else { return }
    let candidate = CachedURLResponse(response: response, data: data ?? Data())
    engine.requestContext.async {
      guard let handler else {
        cache?.store(candidate, for: request)
        return
      }
      let once = Once()
      handler.dataTask(task, willCacheResponse: candidate) { kept in
        guard once.claim(), let kept else { return }
        cache?.store(kept, for: request)
      }
    }
  }
}

extension HTTPURLResponse {
  /// Whether the response may be kept without further checks (RFC 9111 3). A partial response is not kept.
  fileprivate var canBeKept: Bool {
    guard request.method == .get else { return false }
    switch statusCode {
    case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: break
    default: return false
    }
    let directives = (head.fields.values(of: .cacheControl) + request.fields.values(of: .cacheControl)).flatMap {
      $0.split(separator: ",")
    }
    return !directives.contains { FieldParameters(String($0)).value.lowercased() == "no-store" }
  }
}
