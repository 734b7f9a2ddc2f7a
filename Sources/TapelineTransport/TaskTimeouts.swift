/// How long one task may take, where that differs from the transport's configuration.
package struct TaskTimeouts: Hashable, Sendable {
  /// The longest silence: while the name is looked up and connected to, before the response, between its bytes.
  package var requestNanoseconds: Int64?
  /// From the task's beginning to its end, redirections and the transport's retries included.
  package var resourceNanoseconds: Int64?

  package init(requestNanoseconds: Int64? = nil, resourceNanoseconds: Int64? = nil) {
    self.requestNanoseconds = requestNanoseconds
    self.resourceNanoseconds = resourceNanoseconds
  }

  /// If a number is not positive, or too large to count, there is no limit.
  package init(requestSeconds: Double?, resourceSeconds: Double?) {
    self.init(requestNanoseconds: Self.nanoseconds(requestSeconds), resourceNanoseconds: Self.nanoseconds(resourceSeconds))
  }

  private static func nanoseconds(_ seconds: Double?) -> Int64? {
    // A century: beyond it the sum with an instant might not fit.
    guard let seconds, seconds > 0, seconds < 3e9 else { return nil }
    return max(1, Int64(seconds * 1e9))
  }
}
