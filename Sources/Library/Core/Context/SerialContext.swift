package import Dispatch
internal import Synchronization
package import TapelineLoop
internal import TapelineTime

/// Runs work one piece after the other, in the order given: an event loop or a serial queue.
///
/// `async` always means *later*: never inside the call, even if the caller already runs in this context. The order of events
/// that the request/response system promises depends on this.
package protocol SerialContext: Sendable {
  /// Runs `work` here, later.
  func async(_ work: @escaping @Sendable () -> Void)
  /// Runs `work` here after the delay, unless it is cancelled before then.
  @discardableResult
  func async(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any DelayedWork
  /// Whether the caller is here.
  var isCurrent: Bool { get }
}

extension SerialContext {
  /// Stops the program if the caller is not here.
  package func preconditionCurrent() {
    precondition(isCurrent, "something bound to a context was touched from elsewhere")
  }

  /// Runs `work` now when the caller is here, else later.
  package func run(_ work: @escaping @Sendable () -> Void) {
    if isCurrent { work() } else { async(work) }
  }
}

/// Work of a `SerialContext` that waits for its time.
package protocol DelayedWork: Sendable {
  /// Prevents the work from running and releases it. Call it in its context only.
  func cancel()
}

/// An event loop as a context. On the loop, `async` appends to the loop's own queue, which is drained at the end of the turn.
package struct LoopContext: SerialContext {
  private let loop: EventLoop

  package init(_ loop: EventLoop) {
    self.loop = loop
  }

  package func async(_ work: @escaping @Sendable () -> Void) {
    loop.execute(work)
  }

  @discardableResult
  package func async(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any DelayedWork {
    let waiting = LoopDelay(loop: loop, work: work)
    loop.execute { waiting.begin(after: delay) }
    return waiting
  }

  package var isCurrent: Bool { loop.isCurrent }
}

/// Work that waits for its time, or for `cancel`.
private struct LoopDelay: DelayedWork {
  private let pending: LoopBound<PendingWork>

  init(loop: EventLoop, work: @escaping @Sendable () -> Void) {
    pending = LoopBound(PendingWork(loop: loop, work: work), on: loop)
  }

  func begin(after delay: Duration) {
    pending.value.begin(after: delay)
  }

  func cancel() {
    pending.value.cancel()
  }
}

/// Keeps a timer and itself alive until the timer has elapsed or is cancelled. Loop-bound.
private final class PendingWork {
  private let loop: EventLoop
  private var work: (@Sendable () -> Void)?
  private var timer: Timer?

  init(loop: EventLoop, work: @escaping @Sendable () -> Void) {
    self.loop = loop
    self.work = work
  }

  func begin(after delay: Duration) {
    guard work != nil else { return }
    let timer = Timer(loop: loop) { [self] in
      work?()
      cancel()
    }
    self.timer = timer
    timer.start(after: delay)
  }

  func cancel() {
    work = nil
    timer?.cancel()
    // Not inside the timer's own handler.
    loop.enqueueLocal { [self] in timer = nil }
  }
}

/// A serial dispatch queue as a context.
package final class DispatchContext: SerialContext {
  package let queue: DispatchQueue
  /// Marks `queue`. Dispatch does not promise that threads may share a key, hence the lock.
  private let key = Mutex(DispatchSpecificKey<Bool>())

  /// A serial queue of its own.
  package init(label: String, target: DispatchQueue? = nil) {
    queue = DispatchQueue(label: label, target: target)
    key.withLock { queue.setSpecific(key: $0, value: true) }
  }

  /// Work on the caller's `queue`, one piece at a time: a serial queue with the same label targets `queue`, so that a
  /// concurrent queue cannot run two pieces at once.
  package init(_ queue: DispatchQueue) {
    self.queue = DispatchQueue(label: queue.label, target: queue)
    key.withLock { [queue = self.queue] in queue.setSpecific(key: $0, value: true) }
  }

  deinit {
    key.withLock { queue.setSpecific(key: $0, value: nil) }
  }

  package func async(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }

  @discardableResult
  package func async(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any DelayedWork {
    let waiting = DispatchDelay(work: work)
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay.nanoseconds))) { waiting.perform() }
    return waiting
  }

  package var isCurrent: Bool { key.withLock { DispatchQueue.getSpecific(key: $0) != nil } }
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
