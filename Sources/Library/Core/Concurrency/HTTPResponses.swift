internal import TapelineTransport

extension DataRequest {
  /// The head of the response of each attempt, as it comes. Another call, and a handler of heads, take the place of this one.
  public final func httpResponses() -> AsyncStream<HTTPURLResponse> {
    heads(setHeadHandler)
  }

  /// Calls `handler` with the head of the response and waits for its answer before any of the body is read.
  @discardableResult
  public final func onHTTPResponse(
    perform handler: @escaping @Sendable (_ response: HTTPURLResponse) async -> ResponseDisposition
  ) -> Self {
    setHeadHandler(HeadHandler(asking: handler))
    return self
  }
}

extension DataStreamRequest {
  /// The head of the response of each attempt, as it comes. Another call, and a handler of heads, take the place of this one.
  public func httpResponses() -> AsyncStream<HTTPURLResponse> {
    heads(setHeadHandler)
  }

  /// Calls `handler` with the head of the response and waits for its answer before any of the body is read.
  @discardableResult
  public func onHTTPResponse(
    perform handler: @escaping @Sendable (_ response: HTTPURLResponse) async -> ResponseDisposition
  ) -> Self {
    setHeadHandler(HeadHandler(asking: handler))
    return self
  }
}

extension Request {
  /// The heads that a handler gets, which lets each response come.
  fileprivate func heads(_ setHandler: (HeadHandler) -> Void) -> AsyncStream<HTTPURLResponse> {
    sequence(.unbounded) { listener in
      setHandler(
        HeadHandler(asking: { response in
          listener.call(response)
          return .allow
        }))
    }
  }
}
