/// The value of a data or upload request, to be awaited.
///
/// The request has been started whether or not anybody awaits, unless the session or the request says otherwise. Cancelling a
/// task that awaits cancels the request, unless `automaticallyCancelling` was `false`.
public struct DataTask<Value: Sendable>: Sendable {
  private let pending: PendingResponse<DataResponse<Value>>

  /// - Parameter attach: gives the request a handler.
  init(
    _ request: DataRequest, cancels: Bool, attach: (@escaping @Sendable (DataResponse<Value>) -> Void) -> Void
  ) {
    pending = PendingResponse(request, cancels: cancels, attach: attach)
  }

  /// The response, once the request has ended.
  public var response: DataResponse<Value> {
    get async { await pending.value }
  }

  /// The value or the error, once the request has ended.
  public var result: AFResult<Value> {
    get async { await response.result }
  }

  /// The value, once the request has ended.
  ///
  /// - Throws: the error of the request or of the serializer.
  public var value: Value {
    get async throws(TapelineError) { try await result.get() }
  }

  /// Cancels the request; tasks that await get `explicitlyCancelled`.
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
