package import TapelineLoop
package import TapelineTLS
package import TapelineTime

/// What a secure channel tells the object that uses it: first that it is secure, then what a channel tells, of plaintext.
///
/// `channelDidReceiveEnd` stands for the peer's close_notify, or for a FIN without one: then `inputIsTruncated`. `channelDidWrite` counts
/// plaintext and tells of no bytes of the handshake.
package protocol SecureChannelHandler: ChannelHandler {
  /// The handshake is complete. `instant`: when the read returned that completed it.
  func channelDidSecure(_ parameters: TLSParameters, at instant: MonotonicInstant)

  /// The connection failed, by TCP or by TLS. Once, last; the channel closes when this returns. Whose failure it is, and in which phase, the
  /// handler knows.
  func channelDidFail(_ error: TransportError)

  /// The server gave a session to resume later: at any time after the handshake (RFC 8446 4.6.1). Clients only.
  func channelDidReceive(session: TLSSession)
}

extension SecureChannelHandler {
  package func channelDidReceive(session: TLSSession) {}

  package func channelDidFail(_ error: LoopError) {
    channelDidFail(TransportError(error, origin: .local, phase: .receive))
  }
}
