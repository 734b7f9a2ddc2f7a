public import Synchronization

extension Request {
  /// Where a request is in its life.
  public enum State: UInt8, AtomicRepresentable, Sendable, CaseIterable {
    /// Made, and not started.
    case initialized
    /// Started, or going on.
    case resumed
    /// Suspended: goes on with `resume()`.
    case suspended
    /// Cancelled: it stays so.
    case cancelled
    /// Its handlers have been called.
    case finished

    /// The complete table of transitions. A cancelled request never becomes finished, and no transition leaves an end state.
    /// (Outside this table, attaching a handler to a finished request revives it: see `append`.)
    func canTransition(to next: State) -> Bool {
      switch (self, next) {
      case (.initialized, _): true
      case (_, .initialized): false
      case (.cancelled, _), (.finished, _): false
      case (.resumed, .resumed), (.suspended, .suspended): false
      case (.resumed, .suspended), (.resumed, .cancelled), (.resumed, .finished): true
      case (.suspended, .resumed), (.suspended, .cancelled), (.suspended, .finished): true
      }
    }
  }

  /// The answer to `onHTTPResponse`: what to do after a response's head.
  public enum ResponseDisposition: Sendable, Hashable {
    /// Reads the body.
    case allow
    /// Ends the request as `cancel()` does.
    case cancel
  }

  /// How far the work of a request has come. In the root context.
  enum Stage {
    /// Nothing was done yet, or nothing for the next attempt.
    case idle
    /// The `URLRequest` of the attempt is being made.
    case settingUp
    /// The attempt has a task.
    case running
    /// The task has completed; files may still have to be closed.
    case completing
    /// A retrier is being asked.
    case deciding
    /// There will be another attempt, after a delay.
    case waiting
    /// There will be no other attempt; handlers may still be attached.
    case finished
  }
}
