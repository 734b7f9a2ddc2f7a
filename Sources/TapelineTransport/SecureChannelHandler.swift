package import TapelineLoop
package import TapelineTLS
package import TapelineTime

/// A secure channel's events for the object that uses it: first that it is secure, then those of a channel, for plaintext.
///
/// `channelDidReceiveEnd` means the peer's close_notify, or a FIN without one: then `inputIsTruncated`. `channelDidWrite` counts
/// plaintext, not the bytes of the handshake.
package protocol SecureChannelHandler: ChannelHandler {
  /// The handshake is complete. `instant`: when the read that completed it returned.
  func channelDidSecure(_ parameters: TLSParameters, at instant: MonotonicInstant)

  /// The connection failed, by TCP or by TLS. Called once, as the last event; the channel closes when this returns. The handler
  /// knows whose failure it is, and in which phase.
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
