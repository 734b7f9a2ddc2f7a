public import Dispatch
public import FoundationEssentials
internal import Synchronization

extension DataStreamRequest {
  /// Hands the body on as it comes. Handlers run on `queue`, one at a time and in order, even if the queue is concurrent;
  /// without a queue, on the session's callback queue. Starts the request unless the session or the request says otherwise.
  @discardableResult
  @preconcurrency
  public func responseStream(on queue: DispatchQueue? = nil, stream: @escaping Handler<Data, Never>) -> Self {
    let context = DispatchContext(queue ?? engine.callbackQueue)
    streamDelegate.subscribe { [weak self] piece in
      guard let self else { return piece.end() }
      context.async { [self] in
        hand(.stream(.success(piece.data)), of: piece, to: stream)
      }
    }
    return complete(stream) { work in context.async(work) }
  }

  /// Hands on the value that `serializer` makes from each piece.
  ///
  /// - Parameters:
  ///   - serializer: makes a value of each piece.
  ///   - queue: where the handler is called; by default the session's callback queue.
  ///   - stream: called with each piece, and with the end; if it throws, the request ends.
  /// - Returns: this request.
  @discardableResult
  @preconcurrency
  public func responseStream<Serializer: DataStreamSerializer>(
    using serializer: Serializer, on queue: DispatchQueue? = nil,
    stream: @escaping Handler<Serializer.SerializedObject, TapelineError>
  ) -> Self {
    let context = DispatchContext(queue ?? engine.callbackQueue)
    let serializationContext = engine.serializationContext
    streamDelegate.subscribe { [weak self] piece in
      guard let self else { return piece.end() }
      serializationContext.async { [self] in
        let result = serializer.result(of: piece.data)
        didParse(result)
        context.async { [self] in
          hand(.stream(result), of: piece, to: stream)
        }
      }
    }
    return complete(stream) { work in serializationContext.async { context.async(work) } }
  }

  /// Hands the body on as text in UTF-8. A character that is split between two pieces comes whole, with the second.
  @discardableResult
  @preconcurrency
  public func responseStreamString(on queue: DispatchQueue? = nil, stream: @escaping Handler<String, Never>) -> Self {
    let context = DispatchContext(queue ?? engine.callbackQueue)
    let serializationContext = engine.serializationContext
    let decoder = StreamDecoder()
    streamDelegate.subscribe(restart: { serializationContext.async { decoder.restart() } }) { [weak self] piece in
      guard let self else { return piece.end() }
      serializationContext.async { [self] in
        let text = decoder.decode(piece.data)
        guard !text.isEmpty else { return piece.end() }
        didParse(.success(text))
        context.async { [self] in
          hand(.stream(.success(text)), of: piece, to: stream)
        }
      }
    }
    return complete(stream) { [unowned self] work in
      serializationContext.async { [self] in
        let rest = decoder.finish()
        context.async { [self] in
          if !rest.isEmpty { hand(.stream(.success(rest)), to: stream) }
          work()
        }
      }
    }
  }

  /// Hands on the value that the JSON of each piece decodes to. The server must send each value as one piece.
  ///
  /// - Parameters:
  ///   - type: the value's type.
  ///   - queue: where the handler is called; by default the session's callback queue.
  ///   - decoder: makes the value.
  ///   - preprocessor: changes each piece before it is decoded.
  ///   - stream: called with each piece, and with the end; if it throws, the request ends.
  /// - Returns: this request.
  @discardableResult
  @preconcurrency
  public func responseStreamDecodable<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, on queue: DispatchQueue? = nil, using decoder: any DataDecoder = JSONDecoder(),
    preprocessor: any DataPreprocessor = PassthroughPreprocessor(), stream: @escaping Handler<Value, TapelineError>
  ) -> Self {
    responseStream(
      using: DecodableStreamSerializer<Value>(decoder: decoder, dataPreprocessor: preprocessor), on: queue, stream: stream)
  }

  // MARK: Events

  /// Calls `stream` with what a piece became, unless the request was cancelled meanwhile. If `stream` throws, the request
  /// ends; so it does if the piece could not be serialized and that is wanted.
  private func hand<Success, Failure>(
    _ event: Event<Success, Failure>, of piece: StreamedPiece? = nil, to stream: Handler<Success, Failure>
  ) {
    guard !isCancelled, !isStopped.load(ordering: .acquiring) else {
      piece?.end()
      return
    }
    do {
      try stream(Stream(event: event, token: CancellationToken(request: self)))
      if automaticallyCancelOnStreamError, case .stream(.failure) = event { cancel() }
      piece?.end()
    } catch {
      let failure = error.asTapelineError(or: .responseSerializationFailed(reason: .customSerializationFailed(error: error)))
      isStopped.store(true, ordering: .releasing)
      // In this order: until the piece has been dealt with, its request cannot end without the failure.
      engine.root.async { [self] in
        fail(with: failure)
        piece?.end()
      }
    }
  }

  func didParse<Success: Sendable>(_ result: Result<Success, TapelineError>) {
    if let eventMonitor { engine.root.async { [self] in eventMonitor.request(self, didParseStream: result) } }
  }

  /// The outcome of the request.
  var completion: Completion {
    Completion(request: request, response: response, metrics: metrics, timeline: timeline, error: error)
  }

  /// Calls `stream` with the end, the same way as its pieces, and so after all of them.
  private func complete<Success, Failure>(
    _ stream: @escaping Handler<Success, Failure>,
    by way: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
  ) -> Self {
    onCompletion { [unowned self] in
      let completion = completion
      way { [self] in
        do {
          try stream(Stream(event: .complete(completion), token: CancellationToken(request: self)))
        } catch {
          // The request has ended: nothing is left to fail.
        }
      }
    }
  }
}

extension DataStreamSerializer {
  /// The result of serializing a piece.
  func result(of data: Data) -> AFResult<SerializedObject> {
    do {
      return .success(try serialize(data))
    } catch {
      return .failure(
        error.asTapelineError(or: .responseSerializationFailed(reason: .customSerializationFailed(error: error))))
    }
  }
}

/// Decodes text that comes in pieces.
final class StreamDecoder: Sendable {
  private let decoder = Mutex(IncrementalUTF8Decoder())

  func decode(_ data: Data) -> String {
    decoder.withLock { $0.decode(data.span) }
  }

  /// Forgets an incomplete character.
  func restart() {
    decoder.withLock { $0 = IncrementalUTF8Decoder() }
  }

  func finish() -> String {
    decoder.withLock { $0.finish() }
  }
}
