/// One of the last failures: enough to see the problem. It has no URL, which could hold secrets; the log has the URL, redacted.
package struct RecentFailure: Sendable, Hashable {
  /// Microseconds since 1970.
  package let startedAt: Int64?
  package let exchange: UInt64
  /// `nil` when the bytes were not a request.
  package let method: String?
  /// With its port, unless it is the default.
  package let host: String?
  package let kind: String
  package let phase: String
}
