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
