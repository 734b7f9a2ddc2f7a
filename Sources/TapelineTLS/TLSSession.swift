/// By which a client resumes what it once agreed on with a server, without certificates. It is of use only with the context and
/// for the server name it came from: neither is checked again when it is used.
package final class TLSSession: Sendable {
  package let serverName: String
  let handle: SessionHandle
  /// What the server stapled when it showed its certificate: it is judged by it again when the session is resumed.
  let stapledResponse: [UInt8]?

  init(serverName: String, handle: SessionHandle, stapledResponse: [UInt8]? = nil) {
    self.serverName = serverName
    self.handle = handle
    self.stapledResponse = stapledResponse
  }

  /// A second use would let an observer tell that two connections belong together (RFC 8446 C.4).
  package var isSingleUse: Bool { handle.version == .tls13 }
}
