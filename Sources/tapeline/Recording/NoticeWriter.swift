internal import Dispatch

/// Writes the notices of a loop to stderr. A loop must not wait for a terminal that has stopped.
final class NoticeWriter: Sendable {
  private let queue = DispatchQueue(label: "tapeline.notices")

  func say(_ message: String) {
    queue.async { Console.say(message) }
  }

  /// Returns when all notices are written.
  func finish() {
    queue.sync {}
  }
}
