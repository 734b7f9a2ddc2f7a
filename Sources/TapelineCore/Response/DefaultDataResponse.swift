public import FoundationEssentials
public import TapelineTransport

/// What a data or upload request ended with, untouched by any serializer.
public struct DefaultDataResponse: Sendable {
  public let request: URLRequest?
  /// The server's head; `nil` when none came.
  public let response: HTTPURLResponse?
  /// The body; `nil` when none came or none was kept.
  public let data: Data?
  public let error: (any Error)?
  public let timeline: Timeline
  public let metrics: TaskMetrics?

  public init(
    request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?,
    timeline: Timeline = Timeline(), metrics: TaskMetrics? = nil
  ) {
    self.request = request
    self.response = response
    self.data = data
    self.error = error
    self.timeline = timeline
    self.metrics = metrics
  }
}
