internal import FoundationEssentials
internal import TapelineTransport

/// A subscriber to the pieces of a body: how to hand a piece on, and the backlog of pieces that wait.
struct StreamSubscriber: Sendable {
  let backlog: Backlog
  /// Takes a piece, on the loop, and calls the closure from any thread once it has been dealt with.
  let take: @Sendable (Data, _ done: @escaping @Sendable () -> Void) -> Void
  /// The body will begin again, with another attempt.
  let restart: @Sendable () -> Void
}
