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
    /// None of the application protocols that the client offered is spoken here (RFC 7301 3.2).
    case noApplicationProtocol
    /// What came first was no TLS at all.
    case notTLS
    /// The transport ended without close_notify: bytes may be missing (RFC 8446 6.1).
    case truncated
    /// The peer broke a rule, or somebody between changed bytes.
    case protocolViolation
    /// On our side: a file that cannot be read, a name that is none.
    case configuration
  }

  package let kind: Kind
  /// A sentence for people, with OpenSSL's words.
  package let message: String
  /// The certificate that was refused.
  package let certificate: CertificateSummary?
  /// The fatal alert by which we told the peer.
  package let alertSent: TLSAlert?

  package init(_ kind: Kind, _ message: String, certificate: CertificateSummary? = nil, alertSent: TLSAlert? = nil) {
    self.kind = kind
    self.message = message
    self.certificate = certificate
    self.alertSent = alertSent
  }

  package var description: String { message }
}
