/// One of the last failures: enough to see what is going wrong. No URL, which could hold secrets; the log has it, redacted.
package struct RecentFailure: Sendable, Hashable {
  /// Microseconds since 1970.
  package let startedAt: Int64?
  package let exchange: UInt64
  /// `nil` of bytes that were no request.
  package let method: String?
  /// With its port, unless that says nothing.
  package let host: String?
  package let kind: String
  package let phase: String
}
