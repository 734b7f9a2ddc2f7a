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
