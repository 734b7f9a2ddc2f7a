internal import TapelineTLS

/// The alerts by which we refuse a client before a handshake begins.
extension TLSAlert {
  /// The client named no host that we could act as (RFC 6066 3).
  static let unrecognizedName = TLSAlert(code: 112)
  /// We cannot act as the host that the client named (RFC 8446 6.2).
  static let handshakeFailure = TLSAlert(code: 40)
}
