/// Holds a stream's request for its consumers: the request ends with the last consumer, or when a waiting consumer is cancelled.
final class StreamLease<Element: Sendable>: Sendable {
  private let request: DataStreamRequest
  private let queue: ChunkQueue<Element>
  private let cancels: Bool

  /// - Parameter cancels: whether the request ends with its consumers.
  init(_ request: DataStreamRequest, _ queue: ChunkQueue<Element>, cancels: Bool) {
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
