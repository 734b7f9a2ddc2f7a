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
    registration = unsafe EventRegistration(
      on: loop.base, .signal(signal.rawValue), callback: signalArrived, context: Unmanaged.passUnretained(self).toOpaque())
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
