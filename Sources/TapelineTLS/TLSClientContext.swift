/// The settings that all connections to origins share. Made once per process and used by every loop.
package final class TLSClientContext: Sendable {
  let handle: SSLContextHandle
  let keyLog: TLSKeyLog?
  let trust: TrustStore

  /// - Parameter verifies: whether an origin with an invalid certificate is refused.
  package init(
    trust: TrustStore, verifies: Bool = true, policy: TLSPolicy = .secure,
    applicationProtocols: [ApplicationProtocol] = [.http11], keyLog: TLSKeyLog? = nil
  ) throws(TLSError) {
    handle = try SSLContextHandle(.client, policy: policy)
    self.keyLog = keyLog
    self.trust = trust
    handle.verifyPeers(by: trust.anchors, refuses: verifies)
    if !applicationProtocols.isEmpty { handle.offer(applicationProtocols: ApplicationProtocol.encode(applicationProtocols)) }
    if keyLog != nil { handle.logKeys() }
  }
}
