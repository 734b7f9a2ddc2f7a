package import TapelineTime

/// Calls its handler once, some time after `start`. Loop-bound; dropping it cancels it.
///
/// Made for time-outs, which are moved on far more often than they elapse: a start that moves the deadline back only writes it
/// down, and libevent's timer, which then fires early, looks at the deadline and goes on waiting.
package final class Timer {
  let loop: EventLoop
  private let handler: () -> Void
  private var deadline: MonotonicInstant?
  /// When libevent's timer will fire, while it runs.
  private var wakeUp: MonotonicInstant?
  private var registration: EventRegistration?

  package init(loop: EventLoop, handler: @escaping () -> Void) {
    loop.preconditionCurrent()
    self.loop = loop
    self.handler = handler
  }

  deinit {
    assert(registration == nil || loop.allowsEnding, "a timer ended on another thread than its loop's")
  }

  /// Whether the handler will be called.
  package var isRunning: Bool { deadline != nil }

  /// (Re)starts: the handler is called once, not before `nanoseconds` from now.
  package func start(afterNanoseconds nanoseconds: Int64) {
    start(at: .now.advanced(byNanoseconds: nanoseconds))
  }

  /// (Re)starts: the handler is called once, not before `deadline`.
  package func start(at deadline: MonotonicInstant) {
    loop.assertCurrent()
    self.deadline = deadline
    if let wakeUp, wakeUp <= deadline { return }
    wake(at: deadline, now: .now)
  }

  /// The handler will not be called. Idempotent.
  package func cancel() {
    loop.assertCurrent()
    deadline = nil
  }

  /// libevent's timer fired.
  func didElapse() {
    wakeUp = nil
    guard let deadline else { return }
    let now = MonotonicInstant.now
    guard now >= deadline else { return wake(at: deadline, now: now) }
    self.deadline = nil
    handler()
  }

  private func wake(at instant: MonotonicInstant, now: MonotonicInstant) {
    if registration == nil {
      registration = unsafe EventRegistration(
        on: loop.base, .timeout, callback: timerElapsed, context: Unmanaged.passUnretained(self).toOpaque())
    }
    wakeUp = instant
    registration?.add(afterNanoseconds: instant.nanoseconds(since: now))
  }
}
