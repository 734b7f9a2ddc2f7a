/// The result of a handshake.
package struct TLSParameters: Sendable, Hashable {
  package let version: TLSVersion
  /// The cipher suite's name in IANA's registry.
  package let cipher: String
  package let applicationProtocol: ApplicationProtocol?
  /// The name that the client asked for (RFC 6066 3); never an address.
  package let serverName: String?
  package let isResumed: Bool
  package let verification: Verification
  /// The peer's own certificate.
  package let certificate: CertificateSummary?

  package enum Verification: Sendable, Hashable {
    /// We were the server, and clients need no certificate.
    case notAsked
    case verified
    /// The certificate is invalid, but was accepted because verification was turned off.
    case unverified(CertificateProblem)
  }
}
