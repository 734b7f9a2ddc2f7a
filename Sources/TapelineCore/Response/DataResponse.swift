public import FoundationEssentials
public import TapelineTransport

/// What a data or upload request ended with, its body made into a `Value`.
public struct DataResponse<Value: Sendable>: Sendable {
  /// What was sent.
  public let request: URLRequest?
  /// The server's head; `nil` when none came.
  public let response: HTTPURLResponse?
  /// The body; `nil` when none came or none was kept.
  public let data: Data?
  /// The value, or why there is none.
  public let result: Result<Value, any Error>
  public let timeline: Timeline
  public let metrics: TaskMetrics?

  public init(
    request: URLRequest?, response: HTTPURLResponse?, data: Data?, result: Result<Value, any Error>,
    timeline: Timeline = Timeline(), metrics: TaskMetrics? = nil
  ) {
    self.request = request
    self.response = response
    self.data = data
    self.result = result
    self.timeline = timeline
    self.metrics = metrics
  }

  public var value: Value? { result.value }

  public var error: (any Error)? { result.error }
}

extension DataResponse: CustomStringConvertible {
  public var description: String { result.debugText }
}

extension DataResponse: CustomDebugStringConvertible {
  /// Five lines: request, response, data, result, timeline.
  public var debugDescription: String {
    responseDebugText(
      request: request, response: response, byteCount: UInt64(data?.count ?? 0), result: result.debugText, timeline: timeline)
  }
}

/// The five lines of a response's debug description. `byteCount` is the size of the body, kept or not.
func responseDebugText(
  request: URLRequest?, response: HTTPURLResponse?, byteCount: UInt64, result: String, timeline: Timeline
) -> String {
  [
    "[Request]: " + (request.map { "\($0.httpMethod) \($0)" } ?? "nil"),
    "[Response]: " + (response.map { "\($0)" } ?? "nil"),
    "[Data]: \(byteCount) bytes",
    "[Result]: " + result,
    "[Timeline]: " + timeline.debugDescription,
  ].joined(separator: "\n")
}
