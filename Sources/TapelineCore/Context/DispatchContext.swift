package import Dispatch

/// A serial dispatch queue as a context.
///
/// Safety: `@unchecked Sendable` because `DispatchSpecificKey` is not marked; it is a constant whose address alone matters.
package final class DispatchContext: SerialContext, @unchecked Sendable {
  package let queue: DispatchQueue
  private let key = DispatchSpecificKey<Bool>()

  /// A serial queue of its own.
  package init(label: String) {
    queue = DispatchQueue(label: label)
    queue.setSpecific(key: key, value: true)
  }

  /// Work on the caller's `queue`, one piece at a time: a serial queue with the same label targets `queue`, so that a concurrent
  /// queue cannot run two pieces at once.
  package init(_ queue: DispatchQueue) {
    self.queue = DispatchQueue(label: queue.label, target: queue)
    self.queue.setSpecific(key: key, value: true)
  }

  deinit {
    queue.setSpecific(key: key, value: nil)
  }

  package func async(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }

  @discardableResult
  package func async(afterNanoseconds delay: Int64, _ work: @escaping @Sendable () -> Void) -> any DelayedWork {
    let waiting = DispatchDelay(work: work)
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay))) { waiting.perform() }
    return waiting
  }

  package var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }
}

private final class DispatchDelay: DelayedWork {
  private let work: Protected<(@Sendable () -> Void)?>

  init(work: @escaping @Sendable () -> Void) {
    self.work = Protected(work)
  }

  func perform() {
    work.wrappedValue?()
    cancel()
  }

  func cancel() {
    work.wrappedValue = nil
  }
}
