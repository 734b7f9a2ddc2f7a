package import TapelineTime

/// Calls its handler once, a given time after `start`. Loop-bound; dropping it cancels it.
///
/// Made for time-outs, which are postponed far more often than they elapse: a start that postpones the deadline only records it.
/// libevent's timer then fires too early, checks the deadline and continues to wait.
package final class Timer {
  let loop: EventLoop
  private let handler: () -> Void
  private var deadline: MonotonicInstant?
  /// When libevent's timer fires, while it runs.
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

  /// (Re)starts: the handler is called once, not before `duration` from now.
  package func start(after duration: Duration) {
    start(at: .now.advanced(by: duration))
  }

  /// (Re)starts: the handler is called once, not before `deadline`.
  package func start(at deadline: MonotonicInstant) {
    loop.assertCurrent()
    self.deadline = deadline
    if let wakeUp, wakeUp <= deadline { return }
    wake(at: deadline, now: .now)
  }

  /// Cancels the call of the handler. Idempotent.
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
      registration = EventRegistration(timeOf: self)
    }
    wakeUp = instant
    registration?.add(afterNanoseconds: instant.nanoseconds(since: now))
  }
}

/// How long its owner waits for the next sign of life. Loop-bound.
///
/// The timer is made when it is first needed: most exchanges end before anyone must wait.
package struct Patience: ~Copyable {
  private var timer: Timer?

  package init() {}

  package var isWaiting: Bool { timer?.isRunning ?? false }

  /// Waits at most `limit` from `now`; `nil`: it is nobody's turn, and the wait ends.
  ///
  /// - Parameter make: makes the timer that says what happens when the time is up.
  package mutating func wait(
    _ limit: Duration?, from now: @autoclosure () -> MonotonicInstant = .now, _ make: () -> Timer
  ) {
    guard let limit else { return stop() }
    let timer = timer ?? make()
    self.timer = timer
    timer.start(at: now().advanced(by: limit))
  }

  /// Ends the wait, as far as there is one.
  package mutating func stop() {
    timer?.cancel()
  }

  /// Ends the wait for ever, and lets the timer go.
  package mutating func end() {
    timer?.cancel()
    timer = nil
  }
}

/// Reports signals of the process on a loop. Loop-bound; dropping it restores the signal's old disposition.
///
/// libevent lets one loop at a time watch signals: all sources of a process must be on the same loop.
package final class SignalSource {
  package enum Signal: Int32, Sendable {
    case hangUp = 1
    case interrupt = 2
    case terminate = 15
  }

  package let signal: Signal
  let loop: EventLoop
  private let handler: (Signal) -> Void
  private var registration: EventRegistration?

  /// Starts watching at once.
  package init(loop: EventLoop, signal: Signal, handler: @escaping (Signal) -> Void) {
    loop.preconditionCurrent()
    self.loop = loop
    self.signal = signal
    self.handler = handler
    registration = EventRegistration(signal: signal.rawValue, for: self)
    registration?.add()
  }

  deinit {
    assert(registration == nil || loop.allowsEnding, "a signal source ended on another thread than its loop's")
  }

  /// Stops watching. Idempotent.
  package func cancel() {
    loop.preconditionCurrent()
    registration = nil
  }

  func didArrive() {
    handler(signal)
  }
}
