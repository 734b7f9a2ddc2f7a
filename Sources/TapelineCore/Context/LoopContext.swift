package import TapelineLoop

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
  package func async(afterNanoseconds delay: Int64, _ work: @escaping @Sendable () -> Void) -> any DelayedWork {
    let waiting = LoopDelay(loop: loop, work: work)
    loop.execute { waiting.begin(nanoseconds: delay) }
    return waiting
  }

  package var isCurrent: Bool { loop.isCurrent }
}

/// Keeps a timer and itself alive until the timer has elapsed or is cancelled.
///
/// Safety: `@unchecked Sendable` because it is made anywhere; it is used on the loop only.
private final class LoopDelay: DelayedWork, @unchecked Sendable {
  private let loop: EventLoop
  private var work: (@Sendable () -> Void)?
  private var timer: Timer?

  init(loop: EventLoop, work: @escaping @Sendable () -> Void) {
    self.loop = loop
    self.work = work
  }

  func begin(nanoseconds: Int64) {
    guard work != nil else { return }
    let timer = Timer(loop: loop) { [self] in
      work?()
      cancel()
    }
    self.timer = timer
    timer.start(afterNanoseconds: nanoseconds)
  }

  func cancel() {
    loop.preconditionCurrent()
    work = nil
    timer?.cancel()
    // Not inside the timer's own handler.
    loop.enqueueLocal { [self] in timer = nil }
  }
}
