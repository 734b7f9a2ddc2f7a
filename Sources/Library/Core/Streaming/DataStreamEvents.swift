public import TapelineTransport

extension DataStreamRequest {
  /// Takes the pieces of a body and then its end. If it throws, the request ends.
  public typealias Handler<Success: Sendable, Failure: Error> = @Sendable (Stream<Success, Failure>) throws -> Void

  /// One event, and the means to end the request it belongs to.
  public struct Stream<Success: Sendable, Failure: Error>: Sendable {
    /// The event.
    public let event: Event<Success, Failure>
    /// Cancels the request.
    public let token: CancellationToken

    /// Cancels the request: no further piece is handed on, and the completion says so.
    public func cancel() {
      token.cancel()
    }
  }

  /// A piece of the body, or its end.
  public enum Event<Success: Sendable, Failure: Error>: Sendable {
    /// A piece, or why it could not be made.
    case stream(Result<Success, Failure>)
    /// The request has ended: the last event.
    case complete(Completion)
  }

  /// The outcome of a stream.
  public struct Completion: Sendable {
    /// The request that was sent; `nil` when none could be made.
    public let request: URLRequest?
    /// The server's head; `nil` when none came.
    public let response: HTTPURLResponse?
    /// The measurements of the last attempt.
    public let metrics: TaskMetrics?
    /// The timing up to now.
    public let timeline: Timeline
    /// `nil` when the body came to its end.
    public let error: TapelineError?
  }

  /// Cancels a stream's request, from any thread.
  public struct CancellationToken: Sendable {
    weak let request: DataStreamRequest?

    /// Cancels the request, unless it has ended.
    public func cancel() {
      request?.cancel()
    }
  }
}

extension DataStreamRequest.Stream {
  /// The piece; `nil` for one that failed and at the end.
  public var value: Success? {
    if case .stream(let result) = event { result.value } else { nil }
  }

  /// Why the piece could not be made.
  public var error: Failure? {
    if case .stream(let result) = event { result.error } else { nil }
  }

  /// The outcome of the request, in its last event.
  public var completion: DataStreamRequest.Completion? {
    switch event {
    case .complete(let completion): completion
    case .stream: nil
    }
  }
}

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
