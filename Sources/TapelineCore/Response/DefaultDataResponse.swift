public import FoundationEssentials
public import TapelineTransport

/// The outcome of a data or upload request, untouched by any serializer.
public struct DefaultDataResponse: Response {
  /// The request that was sent; `nil` when none could be made.
  public let request: URLRequest?
  /// The server's head; `nil` when none came.
  public let response: HTTPURLResponse?
  /// The body; `nil` when none came or none was kept.
  public let data: Data?
  /// Why the request failed, on the wire or in validation.
  public let error: (any Error)?
  /// The times of the request.
  public let timeline: Timeline
  public var _metrics: (any Sendable)?

  /// Makes a response, for tests.
  public init(
    request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?, timeline: Timeline = Timeline(),
    metrics: TaskMetrics? = nil
  ) {
    self.request = request
    self.response = response
    self.data = data
    self.error = error
    self.timeline = timeline
    add(metrics)
  }

  /// The body, or the error.
  public var result: AFResult<Data?> {
    AFResult(value: data, error: error.map { error in error.asTapelineError(or: .sessionTaskFailed(error: error)) })
  }
}

extension DefaultDataResponse: CustomStringConvertible, CustomDebugStringConvertible {
  /// `SUCCESS: value` or `FAILURE: error`.
  public var description: String { sibling.description }

  /// Five lines: request, response, data, result, timeline.
  public var debugDescription: String { sibling.debugDescription }

  /// Everything over several lines: request and response with their fields and, where they are text, their bodies; durations;
  /// result.
  public var verboseDescription: String { sibling.verboseDescription }

  /// The same with a result in place of an error.
  private var sibling: DataResponse<Data?> {
    DataResponse(request: request, response: response, data: data, result: result, timeline: timeline, metrics: metrics)
  }
}
