internal import TapelineTransport

extension DataStreamRequest.Stream: CustomStringConvertible {
  /// The piece, its error, or the completion.
  public var description: String { event.description }
}

extension DataStreamRequest.Event: CustomStringConvertible {
  /// `SUCCESS: value` or `FAILURE: error` of a piece; `COMPLETE: ` and the completion's text at the end.
  public var description: String {
    switch self {
    case .stream(let result): result.debugText
    case .complete(let completion): "COMPLETE: \(completion)"
    }
  }
}

extension DataStreamRequest.Completion: CustomStringConvertible {
  /// `SUCCESS` or `FAILURE: error`.
  public var description: String { error.map { "FAILURE: \($0)" } ?? "SUCCESS" }
}

extension DataStreamRequest.Completion: CustomDebugStringConvertible {
  /// Five lines: request, response, data, result, timeline.
  public var debugDescription: String {
    responseDebugText(
      request: request, response: response, byteCount: metrics?.transactions.last?.responseBodyBytes ?? 0, result: description,
      timeline: timeline)
  }
}
