/// Where work runs one piece after the other, in the order it was given: an event loop, or a serial queue.
///
/// `async` always means *later*: never inside the call, also not when the caller is there already. What the request/response system
/// promises about the order of events rests on it.
package protocol SerialContext: Sendable {
  /// Runs `work` here, later.
  func async(_ work: @escaping @Sendable () -> Void)
  /// Runs `work` here, not before the delay has passed, unless it is cancelled until then.
  @discardableResult
  func async(afterNanoseconds delay: Int64, _ work: @escaping @Sendable () -> Void) -> any DelayedWork
  /// Whether the caller is here.
  var isCurrent: Bool { get }
}

extension SerialContext {
  /// Stops the program when the caller is elsewhere.
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
  /// The work will not run, and is let go of. In its context only.
  func cancel()
}
