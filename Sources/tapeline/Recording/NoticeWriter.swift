internal import Dispatch

/// Says things on stderr that come up on a loop, which must not wait for a terminal that has stopped.
final class NoticeWriter: Sendable {
  private let queue = DispatchQueue(label: "tapeline.notices")

  func say(_ message: String) {
    queue.async { Console.say(message) }
  }

  /// Returns when all is said.
  func finish() {
    queue.sync {}
  }
}
