/// What all connections from clients have in common. Made once per process and used by every loop, so that a session begun on
/// one is resumed on any.
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
