package import TapelineTime

/// A client that is passed through to a host because it refused our certificate there.
package struct PassedThroughClient: Sendable, Hashable {
  package let host: String
  package let client: String
  /// How it refused.
  package let reason: String
  package let since: MonotonicInstant
  package let expires: MonotonicInstant

  package init(host: String, client: String, reason: String, since: MonotonicInstant, expires: MonotonicInstant) {
    self.host = host
    self.client = client
    self.reason = reason
    self.since = since
    self.expires = expires
  }
}
