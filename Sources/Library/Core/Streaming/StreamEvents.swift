internal import FoundationEssentials
internal import Synchronization

/// The events of a stream as an asynchronous sequence: the pieces as values, in order, then the completion, which is the last
/// event.
///
/// The consumer sets the pace: while more than 256 KiB wait to be taken, the connection is not read. It is for one consumer,
/// once. By default, a consumer that stops early, or whose task is cancelled, cancels the request.
public struct StreamEvents<Success: Sendable, PieceFailure: Error>: AsyncSequence, Sendable {
  /// A piece, or the end.
  public typealias Element = DataStreamRequest.Stream<Success, PieceFailure>
  /// The request's error is in the completion.
  public typealias Failure = Never

  private let lease: StreamLease<Element>

  init(_ lease: StreamLease<Element>) {
    self.lease = lease
  }

  /// The one way to take the events.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(lease: lease)
  }

  /// Takes the events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let lease: StreamLease<Element>

    /// The next event; `nil` after the completion.
    public mutating func next() async -> Element? {
      await next(isolation: #isolation)
    }

    /// The next event, awaited on `actor`; `nil` after the completion.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      switch await lease.next(isolation: actor) {
      case .success(let element): element
      case .failure: nil
      }
    }
  }
}

/// The body of a stream's response as an asynchronous sequence of pieces, in order, as they came.
///
/// The consumer sets the pace: while more than 256 KiB wait to be taken, the connection is not read. It is for one consumer,
/// once; a consumer that stops early, or whose task is cancelled, cancels the request.
public struct ByteChunks: AsyncSequence, Sendable {
  /// A piece: never empty.
  public typealias Element = [UInt8]
  /// The error that the request failed with.
  public typealias Failure = TapelineError

  private let lease: StreamLease<[UInt8]>

  init(_ request: DataStreamRequest, _ queue: ChunkQueue<[UInt8]>) {
    lease = StreamLease(request, queue, cancels: true)
  }

  /// The one way to take the pieces.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(lease: lease)
  }

  /// Takes the pieces.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let lease: StreamLease<[UInt8]>

    /// The next piece; `nil` at the body's end.
    public mutating func next() async throws(TapelineError) -> [UInt8]? {
      try await next(isolation: #isolation)
    }

    /// The next piece, awaited on `actor`; `nil` at the body's end.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(TapelineError) -> [UInt8]? {
      try await lease.next(isolation: actor).get()
    }
  }
}

extension DataStreamRequest {
  /// The body, to be taken piece by piece. Starts the request unless the session or the request says otherwise.
  ///
  /// Pieces that came before this call are not included.
  public func bytes() -> ByteChunks {
    let queue = ChunkQueue<[UInt8]>()
    streamDelegate.subscribe { piece in
      piece.isDecided()
      queue.put(Array(piece.data), piece.isTaken)
    }
    onCompletion { [unowned self] in queue.finish(error) }
    return ByteChunks(self, queue)
  }
}

/// Holds the request of a stream for its consumers: the request ends with the last consumer, or when a waiting consumer is
/// cancelled.
final class StreamLease<Element: Sendable>: Sendable {
  private let request: Request
  private let queue: ChunkQueue<Element>
  private let cancels: Bool

  /// - Parameter cancels: whether the request ends with its consumers.
  init(_ request: Request, _ queue: ChunkQueue<Element>, cancels: Bool) {
    self.request = request
    self.queue = queue
    self.cancels = cancels
  }

  deinit {
    queue.abandon()
    if cancels { request.cancel() }
  }

  func next(isolation actor: isolated (any Actor)?) async -> ChunkQueue<Element>.Outcome {
    guard cancels else { return await queue.next(isolation: actor) }
    return await withTaskCancellationHandler {
      await queue.next(isolation: actor)
    } onCancel: {
      request.cancel()
    }
  }
}
