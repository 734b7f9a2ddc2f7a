internal import FoundationEssentials
internal import TapelineHTTP
internal import TapelineText
internal import TapelineTransport

extension DataRequest {
  /// Decides by `handler` whether the response is kept, in place of the session's. Before the request is started. Of several calls the last
  /// counts.
  @discardableResult
  public func cacheResponse(using handler: any CachedResponseHandler) -> Self {
    mutableState.write { $0.cachedResponseHandler = handler }
    return self
  }

  /// Offers what came to the session's cache. In the root context.
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
  /// Whether it may be kept without asking further (RFC 9111 3). A part of something is not kept.
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
