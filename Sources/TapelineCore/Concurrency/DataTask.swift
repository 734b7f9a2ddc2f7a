/// The value that a data or upload request is made into, to be awaited.
///
/// The request has been started, unless the session or the request says otherwise, whether or not anybody awaits. A task that awaits and is
/// cancelled cancels the request, unless that was declined.
public struct DataTask<Value: Sendable>: Sendable {
  private let pending: PendingResponse<DataResponse<Value>>

  /// - Parameter attach: gives the request a handler.
  init(
    _ request: DataRequest, cancels: Bool, attach: (@escaping @Sendable (DataResponse<Value>) -> Void) -> Void
  ) {
    pending = PendingResponse(request, cancels: cancels, attach: attach)
  }

  /// What the request ended with, once it has.
  public var response: DataResponse<Value> {
    get async { await pending.value }
  }

  /// The value, or why there is none, once the request has ended.
  public var result: AFResult<Value> {
    get async { await response.result }
  }

  /// The value, once the request has ended.
  ///
  /// - Throws: what the request or the serializer failed with.
  public var value: Value {
    get async throws(TapelineError) { try await result.get() }
  }

  /// Cancels the request; those who await get an explicit cancellation.
  public func cancel() {
    pending.request.cancel()
  }

  /// Starts the request, or goes on after `suspend()`.
  public func resume() {
    pending.request.resume()
  }

  /// Stops reading until `resume()`.
  public func suspend() {
    pending.request.suspend()
  }
}
