/// Why a connection, or what it needs, could not be made or went wrong.
package struct TLSError: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Kind: Sendable, Hashable {
    /// We refused the peer's certificate.
    case certificate(CertificateProblem)
    /// The peer gave up and said why.
    case peerAlert(TLSAlert)
    /// No version in common.
    case protocolVersion
    /// No cipher suite, group or signature algorithm in common.
    case noSharedCipher
    /// We speak none of the application protocols that the client offered (RFC 7301 3.2).
    case noApplicationProtocol
    /// The first bytes were not TLS at all.
    case notTLS
    /// The transport ended without close_notify: bytes may be missing (RFC 8446 6.1).
    case truncated
    /// The peer broke a rule, or somebody on the way changed bytes.
    case protocolViolation
    /// An error on our side: an unreadable file, or an invalid name.
    case configuration
  }

  package let kind: Kind
  /// A sentence for people, with OpenSSL's words.
  package let message: String
  /// The certificate that was refused.
  package let certificate: CertificateSummary?
  /// The fatal alert that we sent to the peer.
  package let alertSent: TLSAlert?

  package init(_ kind: Kind, _ message: String, certificate: CertificateSummary? = nil, alertSent: TLSAlert? = nil) {
    self.kind = kind
    self.message = message
    self.certificate = certificate
    self.alertSent = alertSent
  }

  package var description: String { message }
}

/// An alert by its code (RFC 8446 6, RFC 5246 7.2).
package struct TLSAlert: Sendable, Hashable, CustomStringConvertible {
  package let code: UInt8

  package init(code: UInt8) {
    self.code = code
  }

  package static let badRecordMAC = TLSAlert(code: 20)
  package static let unknownCA = TLSAlert(code: 48)
  package static let protocolVersion = TLSAlert(code: 70)
  package static let noApplicationProtocol = TLSAlert(code: 120)

  /// As the specification spells it.
  package var name: String {
    switch code {
    case 0: "close_notify"
    case 10: "unexpected_message"
    case 20: "bad_record_mac"
    case 21: "decryption_failed"
    case 22: "record_overflow"
    case 30: "decompression_failure"
    case 40: "handshake_failure"
    case 41: "no_certificate"
    case 42: "bad_certificate"
    case 43: "unsupported_certificate"
    case 44: "certificate_revoked"
    case 45: "certificate_expired"
    case 46: "certificate_unknown"
    case 47: "illegal_parameter"
    case 48: "unknown_ca"
    case 49: "access_denied"
    case 50: "decode_error"
    case 51: "decrypt_error"
    case 60: "export_restriction"
    case 70: "protocol_version"
    case 71: "insufficient_security"
    case 80: "internal_error"
    case 86: "inappropriate_fallback"
    case 90: "user_canceled"
    case 100: "no_renegotiation"
    case 109: "missing_extension"
    case 110: "unsupported_extension"
    case 111: "certificate_unobtainable"
    case 112: "unrecognized_name"
    case 113: "bad_certificate_status_response"
    case 114: "bad_certificate_hash_value"
    case 115: "unknown_psk_identity"
    case 116: "certificate_required"
    case 120: "no_application_protocol"
    case 121: "ech_required"
    default: "alert_\(code)"
    }
  }

  package var description: String { name }
}
