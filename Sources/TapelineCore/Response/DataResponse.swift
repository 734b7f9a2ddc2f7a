public import FoundationEssentials
public import TapelineTransport

/// What a data or upload request ended with, its body made into a `Value`.
public struct DataResponse<Value: Sendable>: Response {
  /// What was sent; `nil` when no request could be made.
  public let request: URLRequest?
  /// The server's head; `nil` when none came.
  public let response: HTTPURLResponse?
  /// The body; `nil` when none came or none was kept.
  public let data: Data?
  /// The value, or why there is none.
  public let result: AFResult<Value>
  /// When what happened, up to the value.
  public let timeline: Timeline
  /// Seconds that making the value took; 0 when nothing had to be made.
  public let serializationDuration: TimeInterval
  public var _metrics: (any Sendable)?

  /// A response of one's own, for tests.
  public init(
    request: URLRequest?, response: HTTPURLResponse?, data: Data?, result: AFResult<Value>, timeline: Timeline = Timeline(),
    metrics: TaskMetrics? = nil, serializationDuration: TimeInterval = 0
  ) {
    self.request = request
    self.response = response
    self.data = data
    self.result = result
    self.timeline = timeline
    self.serializationDuration = serializationDuration
    add(metrics)
  }

  /// The value of a success.
  public var value: Value? { result.value }

  /// The error of a failure.
  public var error: TapelineError? { result.error }
}

/// A data response under the name that those who come from Alamofire know. `AFDataResponse<Data?>` is the one that no serializer touched.
public typealias AFDataResponse<Value: Sendable> = DataResponse<Value>

extension DataResponse: CustomStringConvertible {
  /// `SUCCESS: value` or `FAILURE: error`.
  public var description: String { result.debugText }
}

extension DataResponse: CustomDebugStringConvertible {
  /// Five lines: request, response, data, result, timeline.
  public var debugDescription: String {
    responseDebugText(
      request: request, response: response, byteCount: UInt64(data?.count ?? 0), result: result.debugText, timeline: timeline)
  }
}

// MARK: - Other values

extension DataResponse {
  /// The same response with the value made into another.
  public func map<NewValue>(_ transform: (Value) -> NewValue) -> DataResponse<NewValue> {
    replacing(result: result.map(transform))
  }

  /// As `map`, with a transformation that may throw; what it throws is wrapped in `responseSerializationFailed` unless it is the library's.
  public func tryMap<NewValue>(_ transform: (Value) throws -> NewValue) -> DataResponse<NewValue> {
    replacing(result: result.tryMap(transform))
  }

  /// The same response with the error made into another, wrapped as `tryMap` does.
  public func mapError(_ transform: (TapelineError) -> any Error) -> DataResponse<Value> {
    replacing(result: result.mapToLibraryError(transform))
  }

  /// As `mapError`, with a transformation that may throw: what it throws takes the error's place, too.
  public func tryMapError(_ transform: (TapelineError) throws -> any Error) -> DataResponse<Value> {
    replacing(result: result.tryMapToLibraryError(transform))
  }

  private func replacing<NewValue>(result: AFResult<NewValue>) -> DataResponse<NewValue> {
    DataResponse<NewValue>(
      request: request, response: response, data: data, result: result, timeline: timeline, metrics: metrics,
      serializationDuration: serializationDuration)
  }
}
