/// Lets a client resume an earlier agreement with a server, without certificates. Use it only with the context and for the server
/// name that it came from: neither is checked again.
package final class TLSSession: Sendable {
  package let serverName: String
  let handle: SessionHandle
  /// The response that the server stapled when it presented its certificate: the evaluator gets it again when the session is
  /// resumed.
  let stapledResponse: [UInt8]?

  init(serverName: String, handle: SessionHandle, stapledResponse: [UInt8]? = nil) {
    self.serverName = serverName
    self.handle = handle
    self.stapledResponse = stapledResponse
  }

  /// A second use would let an observer tell that two connections belong together (RFC 8446 C.4).
  package var isSingleUse: Bool { handle.version == .tls13 }
}
