import Dispatch
import Synchronization
import Testing

/// Waits for values that a handler gets. Each `take` is one; whatever comes too often stays and is counted.
final class Awaited<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])
  private let arrived = DispatchSemaphore(value: 0)

  func take(_ value: Value) {
    values.withLock { $0.append(value) }
    arrived.signal()
  }

  /// The next value that nobody has waited for.
  func wait(seconds: Double = 60) throws -> Value {
    try #require(arrived.wait(timeout: .now() + seconds) == .success, "nothing came")
    return values.withLock { $0.removeFirst() }
  }

  /// Values that came and nobody has waited for.
  var count: Int { values.withLock { $0.count } }
}
