public import FoundationEssentials
public import TapelineTransport

/// The outcome of a download, with its file made into a `Value`.
public struct DownloadResponse<Value: Sendable>: Response {
  /// The request that was sent; `nil` when none could be made.
  public let request: URLRequest?
  /// The server's head; `nil` when none came.
  public let response: HTTPURLResponse?
  /// Where the body was first written.
  public let temporaryURL: URL?
  /// The destination that it was to be moved to; `nil` without a destination.
  public let destinationURL: URL?
  /// Where the complete file is; `nil` if there is none: after a cancellation, a failure in transit, or a failed move.
  public let fileURL: URL?
  /// The data to continue an interrupted download.
  public let resumeData: Data?
  /// The value, or the error.
  public let result: AFResult<Value>
  /// The times of the request, up to the value.
  public let timeline: Timeline
  /// Seconds that making the value took; 0 when nothing had to be made.
  public let serializationDuration: TimeInterval
  public var _metrics: (any Sendable)?

  /// Makes a response, for tests. Its file is at `destinationURL`, or without that at `temporaryURL`, if `result` is a success.
  ///
  /// - Parameters:
  ///   - request: the request that was sent.
  ///   - response: the server's head.
  ///   - temporaryURL: where the body was first written.
  ///   - destinationURL: where the file was to be moved to.
  ///   - resumeData: the data to continue the download.
  ///   - result: the value, or the error.
  ///   - timeline: the times.
  ///   - metrics: the transport's measurements.
  ///   - serializationDuration: seconds that making the value took.
  public init(
    request: URLRequest?, response: HTTPURLResponse?, temporaryURL: URL?, destinationURL: URL?, resumeData: Data?,
    result: AFResult<Value>, timeline: Timeline = Timeline(), metrics: TaskMetrics? = nil,
    serializationDuration: TimeInterval = 0
  ) {
    self.init(
      request: request, response: response,
      files: DownloadResults(
        temporaryURL: temporaryURL, destinationURL: destinationURL,
        fileURL: result.isSuccess ? destinationURL ?? temporaryURL : nil, resumeData: resumeData),
      result: result, timeline: timeline, metrics: metrics, serializationDuration: serializationDuration)
  }

  /// Makes a response, for tests.
  ///
  /// - Parameters:
  ///   - request: the request that was sent.
  ///   - response: the server's head.
  ///   - fileURL: where the complete file is.
  ///   - resumeData: the data to continue the download.
  ///   - metrics: the transport's measurements.
  ///   - serializationDuration: seconds that making the value took.
  ///   - result: the value, or the error.
  public init(
    request: URLRequest?, response: HTTPURLResponse?, fileURL: URL?, resumeData: Data?, metrics: TaskMetrics?,
    serializationDuration: TimeInterval, result: AFResult<Value>
  ) {
    self.init(
      request: request, response: response,
      files: DownloadResults(temporaryURL: fileURL, destinationURL: nil, fileURL: fileURL, resumeData: resumeData),
      result: result, timeline: Timeline(), metrics: metrics, serializationDuration: serializationDuration)
  }

  init(
    request: URLRequest?, response: HTTPURLResponse?, files: DownloadResults, result: AFResult<Value>, timeline: Timeline,
    metrics: TaskMetrics?, serializationDuration: TimeInterval = 0
  ) {
    self.request = request
    self.response = response
    temporaryURL = files.temporaryURL
    destinationURL = files.destinationURL
    fileURL = files.fileURL
    resumeData = files.resumeData
    self.result = result
    self.timeline = timeline
    self.serializationDuration = serializationDuration
    add(metrics)
  }

  /// The value of a success.
  public var value: Value? { result.value }

  /// The error of a failure.
  public var error: TapelineError? { result.error }

  /// Where the download has left its files.
  private var files: DownloadResults {
    DownloadResults(temporaryURL: temporaryURL, destinationURL: destinationURL, fileURL: fileURL, resumeData: resumeData)
  }
}

/// A download's response under its Alamofire name.
public typealias AFDownloadResponse<Value: Sendable> = DownloadResponse<Value>

extension DownloadResponse: CustomStringConvertible {
  /// `SUCCESS: value` or `FAILURE: error`.
  public var description: String { result.debugText }
}

extension DownloadResponse: CustomDebugStringConvertible {
  /// Seven lines: request, response, temporary URL, destination URL, resume data, result, timeline.
  public var debugDescription: String {
    [
      requestDebugLine(request),
      responseDebugLine(response),
      "[TemporaryURL]: " + (temporaryURL?.path ?? "nil"),
      "[DestinationURL]: " + (destinationURL?.path ?? "nil"),
      "[ResumeData]: \(resumeData?.count ?? 0) bytes",
      "[Result]: " + result.debugText,
      "[Timeline]: " + timeline.debugDescription,
    ].joined(separator: "\n")
  }
}

// MARK: - Other values

extension DownloadResponse {
  /// The same response with the value transformed.
  public func map<NewValue>(_ transform: (Value) -> NewValue) -> DownloadResponse<NewValue> {
    replacing(result: result.map(transform))
  }

  /// As `map`, with a transformation that may throw; an error that it throws is wrapped in `responseSerializationFailed` unless
  /// it is a `TapelineError`.
  public func tryMap<NewValue>(_ transform: (Value) throws -> NewValue) -> DownloadResponse<NewValue> {
    replacing(result: result.tryMap(transform))
  }

  /// The same response with the error transformed, and wrapped as in `tryMap`.
  public func mapError(_ transform: (TapelineError) -> any Error) -> DownloadResponse<Value> {
    replacing(result: result.mapToLibraryError(transform))
  }

  /// As `mapError`, with a transformation that may throw: an error that it throws also replaces the response's error.
  public func tryMapError(_ transform: (TapelineError) throws -> any Error) -> DownloadResponse<Value> {
    replacing(result: result.tryMapToLibraryError(transform))
  }

  private func replacing<NewValue>(result: AFResult<NewValue>) -> DownloadResponse<NewValue> {
    DownloadResponse<NewValue>(
      request: request, response: response, files: files, result: result, timeline: timeline, metrics: metrics,
      serializationDuration: serializationDuration)
  }
}

/// The outcome of a download, untouched by any serializer.
public struct DefaultDownloadResponse: Response {
  /// The request that was sent; `nil` when none could be made.
  public let request: URLRequest?
  /// The server's head; `nil` when none came.
  public let response: HTTPURLResponse?
  /// Where the body was first written.
  public let temporaryURL: URL?
  /// The destination that it was to be moved to; `nil` without a destination.
  public let destinationURL: URL?
  /// Where the complete file is; `nil` if there is none.
  public let fileURL: URL?
  /// The data to continue an interrupted download.
  public let resumeData: Data?
  /// Why the request failed, on the wire or in validation.
  public let error: (any Error)?
  /// The times of the request.
  public let timeline: Timeline
  public var _metrics: (any Sendable)?

  /// Makes a response, for tests. Its file is at `destinationURL`, or without that at `temporaryURL`, if there is no error.
  ///
  /// - Parameters:
  ///   - request: the request that was sent.
  ///   - response: the server's head.
  ///   - temporaryURL: where the body was first written.
  ///   - destinationURL: where the file was to be moved to.
  ///   - resumeData: the data to continue the download.
  ///   - error: why it failed.
  ///   - timeline: the times.
  ///   - metrics: the transport's measurements.
  public init(
    request: URLRequest?, response: HTTPURLResponse?, temporaryURL: URL?, destinationURL: URL?, resumeData: Data?,
    error: (any Error)?, timeline: Timeline = Timeline(), metrics: TaskMetrics? = nil
  ) {
    self.init(
      request: request, response: response,
      files: DownloadResults(
        temporaryURL: temporaryURL, destinationURL: destinationURL,
        fileURL: error == nil ? destinationURL ?? temporaryURL : nil, resumeData: resumeData),
      error: error, timeline: timeline, metrics: metrics)
  }

  init(
    request: URLRequest?, response: HTTPURLResponse?, files: DownloadResults, error: (any Error)?, timeline: Timeline,
    metrics: TaskMetrics?
  ) {
    self.request = request
    self.response = response
    temporaryURL = files.temporaryURL
    destinationURL = files.destinationURL
    fileURL = files.fileURL
    resumeData = files.resumeData
    self.error = error
    self.timeline = timeline
    add(metrics)
  }

  /// Where the file is, or the error.
  public var result: AFResult<URL?> {
    AFResult(value: fileURL, error: error.map { error in error.asTapelineError(or: .sessionTaskFailed(error: error)) })
  }
}

extension DefaultDownloadResponse: CustomStringConvertible, CustomDebugStringConvertible {
  /// `SUCCESS: value` or `FAILURE: error`.
  public var description: String { sibling.description }

  /// Seven lines: request, response, temporary URL, destination URL, resume data, result, timeline.
  public var debugDescription: String { sibling.debugDescription }

  /// Everything over several lines: request and response with their fields; the file; durations; result.
  public var verboseDescription: String { sibling.verboseDescription }

  /// The same with a result in place of an error.
  var sibling: DownloadResponse<URL?> {
    DownloadResponse(
      request: request, response: response,
      files: DownloadResults(
        temporaryURL: temporaryURL, destinationURL: destinationURL, fileURL: fileURL, resumeData: resumeData), result: result,
      timeline: timeline, metrics: metrics)
  }
}
