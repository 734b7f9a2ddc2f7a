import Synchronization

/// Collects what happened, in order, from any thread.
final class EventLog: Sendable {
  private let entries = Mutex<[String]>([])

  func add(_ entry: String) {
    entries.withLock { $0.append(entry) }
  }

  var all: [String] { entries.withLock { $0 } }

  func clear() {
    entries.withLock { $0 = [] }
  }
}
