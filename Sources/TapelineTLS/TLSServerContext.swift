/// The settings that all connections from clients share. Made once per process and used by every loop, so that a session from one
/// loop can be resumed on any other.
package final class TLSServerContext: Sendable {
  let handle: SSLContextHandle
  let keyLog: TLSKeyLog?
  /// In order of preference, as the extension carries them.
  let applicationProtocols: [UInt8]

  package init(
    policy: TLSPolicy = .secure, applicationProtocols: [ApplicationProtocol] = [.http11], keyLog: TLSKeyLog? = nil
  ) throws(TLSError) {
    precondition(!applicationProtocols.isEmpty, "a server that speaks no application protocol refuses whoever names one")
    handle = try SSLContextHandle(.server, policy: policy)
    self.keyLog = keyLog
    self.applicationProtocols = ApplicationProtocol.encode(applicationProtocols)
    if keyLog != nil { handle.logKeys() }
  }
}
