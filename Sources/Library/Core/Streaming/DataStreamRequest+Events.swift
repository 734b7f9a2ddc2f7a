public import FoundationEssentials

// Each method starts the request unless the session or the request says otherwise. Pieces that came before the call are not
// included. No sequence waits for a queue on which handlers are called.
extension DataStreamRequest {
  /// The body as it comes.
  ///
  /// - Parameter automaticallyCancelling: whether the request ends with the consumer of the sequence.
  public func streamingData(automaticallyCancelling: Bool = true) -> StreamEvents<Data, Never> {
    events(cancelling: automaticallyCancelling) { queue in
      streamDelegate.subscribe { [weak self] piece in
        piece.isDecided()
        guard let self else { return piece.isTaken() }
        put(.stream(.success(piece.data)), into: queue, piece.isTaken)
      }
      onCompletion { [unowned self] in end(queue, with: completion) }
    }
  }

  /// The body as text in UTF-8. A character that is split between two pieces comes whole, with the second.
  public func streamingStrings(automaticallyCancelling: Bool = true) -> StreamEvents<String, Never> {
    let context = engine.serializationContext
    let decoder = StreamDecoder()
    return events(cancelling: automaticallyCancelling) { queue in
      streamDelegate.subscribe(restart: { context.async { decoder.restart() } }) { [weak self] piece in
        piece.isDecided()
        guard let self else { return piece.isTaken() }
        context.async { [self] in
          let text = decoder.decode(piece.data)
          guard !text.isEmpty else { return piece.isTaken() }
          didParse(.success(text))
          put(.stream(.success(text)), into: queue, piece.isTaken)
        }
      }
      onCompletion { [unowned self] in
        let completion = completion
        context.async { [self] in
          let rest = decoder.finish()
          if !rest.isEmpty { put(.stream(.success(rest)), into: queue) {} }
          end(queue, with: completion)
        }
      }
    }
  }

  /// The value that the JSON of each piece decodes to. The server must send each value as one piece.
  ///
  /// - Parameters:
  ///   - type: the value's type.
  ///   - decoder: makes the value.
  ///   - preprocessor: changes each piece before it is decoded.
  ///   - automaticallyCancelling: whether cancelling an awaiting task cancels the request.
  public func streamingDecodables<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, using decoder: any DataDecoder = JSONDecoder(),
    preprocessor: any DataPreprocessor = PassthroughPreprocessor(), automaticallyCancelling: Bool = true
  ) -> StreamEvents<Value, TapelineError> {
    streamingResponses(
      using: DecodableStreamSerializer<Value>(decoder: decoder, dataPreprocessor: preprocessor),
      automaticallyCancelling: automaticallyCancelling)
  }

  /// The value that `serializer` makes from each piece.
  public func streamingResponses<Serializer: DataStreamSerializer>(
    using serializer: Serializer, automaticallyCancelling: Bool = true
  ) -> StreamEvents<Serializer.SerializedObject, TapelineError> {
    let context = engine.serializationContext
    return events(cancelling: automaticallyCancelling) { queue in
      streamDelegate.subscribe { [weak self] piece in
        guard let self else { return piece.end() }
        context.async { [self] in
          let result = serializer.result(of: piece.data)
          didParse(result)
          put(.stream(result), into: queue, piece.isTaken)
          if automaticallyCancelOnStreamError, result.isFailure { cancel() }
          piece.isDecided()
        }
      }
      onCompletion { [unowned self] in
        let completion = completion
        context.async { [self] in end(queue, with: completion) }
      }
    }
  }

  /// The same under its Alamofire name.
  public func streamTask() -> DataStreamTask {
    DataStreamTask(request: self)
  }

  // MARK: Feeding

  private func events<Success: Sendable, Failure: Error>(
    cancelling: Bool, feed: (ChunkQueue<Stream<Success, Failure>>) -> Void
  ) -> StreamEvents<Success, Failure> {
    let queue = ChunkQueue<Stream<Success, Failure>>()
    feed(queue)
    return StreamEvents(StreamLease(self, queue, cancels: cancelling))
  }

  private func put<Success, Failure>(
    _ event: Event<Success, Failure>, into queue: ChunkQueue<Stream<Success, Failure>>, _ done: @escaping @Sendable () -> Void
  ) {
    // After a cancellation only the completion is handed on.
    guard !isCancelled else { return done() }
    queue.put(Stream(event: event, token: CancellationToken(request: self)), done)
  }

  private func end<Success, Failure>(_ queue: ChunkQueue<Stream<Success, Failure>>, with completion: Completion) {
    queue.put(Stream(event: .complete(completion), token: CancellationToken(request: self))) {}
    queue.finish(nil)
  }
}

/// A stream's request, to be awaited.
public struct DataStreamTask: Sendable {
  let request: DataStreamRequest

  /// ``DataStreamRequest/streamingData(automaticallyCancelling:)``.
  public func streamingData(automaticallyCancelling: Bool = true) -> StreamEvents<Data, Never> {
    request.streamingData(automaticallyCancelling: automaticallyCancelling)
  }

  /// ``DataStreamRequest/streamingStrings(automaticallyCancelling:)``.
  public func streamingStrings(automaticallyCancelling: Bool = true) -> StreamEvents<String, Never> {
    request.streamingStrings(automaticallyCancelling: automaticallyCancelling)
  }

  /// ``DataStreamRequest/streamingDecodables(of:using:preprocessor:automaticallyCancelling:)``.
  ///
  /// - Parameters:
  ///   - type: the value's type.
  ///   - decoder: makes the value.
  ///   - automaticallyCancelling: whether cancelling an awaiting task cancels the request.
  public func streamingDecodables<Value: Decodable & Sendable>(
    _ type: Value.Type = Value.self, using decoder: any DataDecoder = JSONDecoder(), automaticallyCancelling: Bool = true
  ) -> StreamEvents<Value, TapelineError> {
    request.streamingDecodables(of: type, using: decoder, automaticallyCancelling: automaticallyCancelling)
  }

  /// ``DataStreamRequest/streamingResponses(using:automaticallyCancelling:)``.
  public func streamingResponses<Serializer: DataStreamSerializer>(
    serializedUsing serializer: Serializer, automaticallyCancelling: Bool = true
  ) -> StreamEvents<Serializer.SerializedObject, TapelineError> {
    request.streamingResponses(using: serializer, automaticallyCancelling: automaticallyCancelling)
  }

  /// Cancels the request.
  public func cancel() {
    request.cancel()
  }

  /// Starts the request, or goes on after `suspend()`.
  public func resume() {
    request.resume()
  }

  /// Stops reading until `resume()`.
  public func suspend() {
    request.suspend()
  }
}
