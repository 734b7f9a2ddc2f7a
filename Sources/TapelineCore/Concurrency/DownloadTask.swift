/// The value that a download is made into, to be awaited: as `DataTask`.
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

  /// What the download ended with, once it has.
  public var response: DownloadResponse<Value> {
    get async { await pending.value }
  }

  /// The value, or why there is none, once the download has ended.
  public var result: AFResult<Value> {
    get async { await response.result }
  }

  /// The value, once the download has ended.
  ///
  /// - Throws: what the download, moving its file, or the serializer failed with.
  public var value: Value {
    get async throws(TapelineError) { try await result.get() }
  }

  /// Cancels the download. With `producingResumeData` the response has what continues it.
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
