/// The response that a handler gets once, for any number of tasks that await it.
struct PendingResponse<Response: Sendable>: Sendable {
  let request: Request
  private let cancels: Bool
  /// Ends with the handler's call, which always comes.
  private let delivery: Task<Response, Never>

  /// - Parameter attach: gives the request a handler that is called in place, not on a queue.
  ///
  /// Attaches the handler before it returns: the order of handlers is the order of the calls.
  init(_ request: Request, cancels: Bool, attach: (@escaping @Sendable (Response) -> Void) -> Void) {
    self.request = request
    self.cancels = cancels
    let (responses, continuation) = AsyncStream.makeStream(of: Response.self)
    attach { response in
      continuation.yield(response)
      continuation.finish()
    }
    delivery = Task {
      for await response in responses { return response }
      preconditionFailure("each handler is called, exactly once")
    }
  }

  var value: Response {
    get async {
      guard cancels else { return await delivery.value }
      return await withTaskCancellationHandler {
        await delivery.value
      } onCancel: {
        request.cancel()
      }
    }
  }
}
