/// The value of a download, to be awaited. It behaves as `DataTask` does.
public struct DownloadTask<Value: Sendable>: Sendable {
  private let pending: PendingResponse<DownloadResponse<Value>>
  private let request: DownloadRequest

  /// - Parameter attach: gives the request a handler.
  init(
    _ request: DownloadRequest, cancels: Bool, attach: (@escaping @Sendable (DownloadResponse<Value>) -> Void) -> Void
  ) {
    self.request = request
    pending = PendingResponse(request, cancels: cancels, attach: attach)
  }

  /// The response, once the download has ended.
  public var response: DownloadResponse<Value> {
    get async { await pending.value }
  }

  /// The value or the error, once the download has ended.
  public var result: AFResult<Value> {
    get async { await response.result }
  }

  /// The value, once the download has ended.
  ///
  /// - Throws: the error of the download, of moving its file, or of the serializer.
  public var value: Value {
    get async throws(TapelineError) { try await result.get() }
  }

  /// Cancels the download. With `producingResumeData` the response has the data to continue it.
  public func cancel(producingResumeData: Bool = false) {
    request.cancel(producingResumeData: producingResumeData)
  }

  /// Starts the download, or goes on after `suspend()`.
  public func resume() {
    request.resume()
  }

  /// Stops reading until `resume()`.
  public func suspend() {
    request.suspend()
  }
}
