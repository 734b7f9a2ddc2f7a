/// Runs work one piece after the other, in the order given: an event loop or a serial queue.
///
/// `async` always means *later*: never inside the call, even if the caller already runs in this context. The order of events that
/// the request/response system promises depends on this.
package protocol SerialContext: Sendable {
  /// Runs `work` here, later.
  func async(_ work: @escaping @Sendable () -> Void)
  /// Runs `work` here after the delay, unless it is cancelled before then.
  @discardableResult
  func async(afterNanoseconds delay: Int64, _ work: @escaping @Sendable () -> Void) -> any DelayedWork
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
