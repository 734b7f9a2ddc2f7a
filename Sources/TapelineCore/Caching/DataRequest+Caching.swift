internal import FoundationEssentials
internal import TapelineHTTP
internal import TapelineText
internal import TapelineTransport

extension DataRequest {
  /// Lets `handler` decide whether the response is kept, instead of the session's handler. Call it before the request is started.
  /// The last of several calls counts.
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
