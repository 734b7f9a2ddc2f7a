internal import Dispatch
internal import Synchronization

/// A value that one thread waits for and another sends, once.
final class Reply<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let sent = DispatchSemaphore(value: 0)

  func send(_ value: Value) {
    self.value.withLock { $0 = value }
    sent.signal()
  }

  func wait() -> Value {
    sent.wait()
    guard let value = value.withLock({ $0 }) else {
      preconditionFailure("a reply was awaited twice or never sent")
    }
    return value
  }
}
