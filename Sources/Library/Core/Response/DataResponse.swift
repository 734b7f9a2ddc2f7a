public import FoundationEssentials
public import TapelineTransport

/// The outcome of a data or upload request, with its body made into a `Value`.
public struct DataResponse<Value: Sendable>: Response {
  /// The request that was sent; `nil` when none could be made.
  public let request: URLRequest?
  /// The server's head; `nil` when none came.
  public let response: HTTPURLResponse?
  /// The body; `nil` when none came or none was kept.
  public let data: Data?
  /// The value, or the error.
  public let result: AFResult<Value>
  /// The times of the request, up to the value.
  public let timeline: Timeline
  /// Seconds that making the value took; 0 when nothing had to be made.
  public let serializationDuration: TimeInterval
  public var _metrics: (any Sendable)?

  /// Makes a response, for tests.
  ///
  /// - Parameters:
  ///   - request: the request that was sent.
  ///   - response: the server's head.
  ///   - data: the bytes of the body.
  ///   - result: the value, or the error.
  ///   - timeline: the times.
  ///   - metrics: the transport's measurements.
  ///   - serializationDuration: seconds that making the value took.
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

  /// Makes a response, for tests.
  ///
  /// - Parameters:
  ///   - request: the request that was sent.
  ///   - response: the server's head.
  ///   - data: the body.
  ///   - metrics: the transport's measurements.
  ///   - serializationDuration: seconds that making the value took.
  ///   - result: the value, or the error.
  public init(
    request: URLRequest?, response: HTTPURLResponse?, data: Data?, metrics: TaskMetrics?, serializationDuration: TimeInterval,
    result: AFResult<Value>
  ) {
    self.init(
      request: request, response: response, data: data, result: result, metrics: metrics,
      serializationDuration: serializationDuration)
  }

  /// The value of a success.
  public var value: Value? { result.value }

  /// The error of a failure.
  public var error: TapelineError? { result.error }
}

/// A data response under its Alamofire name. `AFDataResponse<Data?>` is the response that no serializer touched.
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
  /// The same response with the value transformed.
  public func map<NewValue>(_ transform: (Value) -> NewValue) -> DataResponse<NewValue> {
    replacing(result: result.map(transform))
  }

  /// As `map`, with a transformation that may throw; an error that it throws is wrapped in `responseSerializationFailed` unless
  /// it is a `TapelineError`.
  public func tryMap<NewValue>(_ transform: (Value) throws -> NewValue) -> DataResponse<NewValue> {
    replacing(result: result.tryMap(transform))
  }

  /// The same response with the error transformed, and wrapped as in `tryMap`.
  public func mapError(_ transform: (TapelineError) -> any Error) -> DataResponse<Value> {
    replacing(result: result.mapToLibraryError(transform))
  }

  /// As `mapError`, with a transformation that may throw: an error that it throws also replaces the response's error.
  public func tryMapError(_ transform: (TapelineError) throws -> any Error) -> DataResponse<Value> {
    replacing(result: result.tryMapToLibraryError(transform))
  }

  private func replacing<NewValue>(result: AFResult<NewValue>) -> DataResponse<NewValue> {
    DataResponse<NewValue>(
      request: request, response: response, data: data, result: result, timeline: timeline, metrics: metrics,
      serializationDuration: serializationDuration)
  }
}

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
  ///
  /// - Parameters:
  ///   - request: the request that was sent.
  ///   - response: the server's head.
  ///   - data: the bytes of the body.
  ///   - error: why it failed.
  ///   - timeline: the times.
  ///   - metrics: the transport's measurements.
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
  var sibling: DataResponse<Data?> {
    DataResponse(request: request, response: response, data: data, result: result, timeline: timeline, metrics: metrics)
  }
}
