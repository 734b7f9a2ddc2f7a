internal import TapelineTLS

/// The alerts by which a client is refused before a handshake begins.
extension TLSAlert {
  /// No host is named that we could stand for (RFC 6066 3).
  static let unrecognizedName = TLSAlert(code: 112)
  /// We cannot stand for the host that is named (RFC 8446 6.2).
  static let handshakeFailure = TLSAlert(code: 40)
}
