public import FoundationEssentials
public import TapelineTransport

/// The outcome of a download, untouched by any serializer.
public struct DefaultDownloadResponse: Response {
  /// The request that was sent; `nil` when none could be made.
  public let request: URLRequest?
  /// The server's head; `nil` when none came.
  public let response: HTTPURLResponse?
  /// Where the body was first written.
  public let temporaryURL: URL?
  /// The destination that it was to be moved to.
  public let destinationURL: URL?
  /// The data to continue an interrupted download.
  public let resumeData: Data?
  /// Why the request failed, on the wire or in validation.
  public let error: (any Error)?
  /// The times of the request.
  public let timeline: Timeline
  public var _metrics: (any Sendable)?

  /// Makes a response, for tests.
  public init(
    request: URLRequest?, response: HTTPURLResponse?, temporaryURL: URL?, destinationURL: URL?, resumeData: Data?,
    error: (any Error)?, timeline: Timeline = Timeline(), metrics: TaskMetrics? = nil
  ) {
    self.request = request
    self.response = response
    self.temporaryURL = temporaryURL
    self.destinationURL = destinationURL
    self.resumeData = resumeData
    self.error = error
    self.timeline = timeline
    add(metrics)
  }

  /// Where the file is; `nil` after a failure.
  public var fileURL: URL? { error == nil ? destinationURL ?? temporaryURL : nil }

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
  private var sibling: DownloadResponse<URL?> {
    DownloadResponse(
      request: request, response: response, temporaryURL: temporaryURL, destinationURL: destinationURL, resumeData: resumeData,
      result: result, timeline: timeline, metrics: metrics)
  }
}
