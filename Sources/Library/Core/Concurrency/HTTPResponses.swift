internal import TapelineTransport

extension DataRequest {
  /// The head of the response of each attempt, as it comes. Another call, and a handler of heads, take the place of this one.
  public final func httpResponses() -> AsyncStream<HTTPURLResponse> {
    heads(setHeadHandler)
  }

  // Disfavoured: a closure without a `return` means the other form.
  /// Calls `handler` with the head of the response and waits for its answer before any of the body is read.
  @discardableResult
  @_disfavoredOverload
  public final func onHTTPResponse(
    perform handler: @escaping @Sendable (_ response: HTTPURLResponse) async -> ResponseDisposition
  ) -> Self {
    setHeadHandler(HeadHandler(asking: handler))
    return self
  }

  /// Calls `handler` with the head of the response, and reads the body when it has returned.
  @discardableResult
  public final func onHTTPResponse(perform handler: @escaping @Sendable (_ response: HTTPURLResponse) async -> Void) -> Self {
    onHTTPResponse { response in
      await handler(response)
      return .allow
    }
  }
}

extension DataStreamRequest {
  /// The head of the response of each attempt, as it comes. Another call, and a handler of heads, take the place of this one.
  public func httpResponses() -> AsyncStream<HTTPURLResponse> {
    heads(setHeadHandler)
  }

  // Disfavoured: a closure without a `return` means the other form.
  /// Calls `handler` with the head of the response and waits for its answer before any of the body is read.
  @discardableResult
  @_disfavoredOverload
  public func onHTTPResponse(
    perform handler: @escaping @Sendable (_ response: HTTPURLResponse) async -> ResponseDisposition
  ) -> Self {
    setHeadHandler(HeadHandler(asking: handler))
    return self
  }

  /// Calls `handler` with the head of the response, and reads the body when it has returned.
  @discardableResult
  public func onHTTPResponse(perform handler: @escaping @Sendable (_ response: HTTPURLResponse) async -> Void) -> Self {
    onHTTPResponse { response in
      await handler(response)
      return .allow
    }
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
