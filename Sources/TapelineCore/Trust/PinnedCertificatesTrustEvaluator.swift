internal import FoundationEssentials

/// Trusts servers whose chain has one of the pinned certificates in it: the server's own, or one of those that issued it.
///
/// A pinned certificate counts only if it vouches for the server: sending it along proves nothing. With default validation the
/// verified chain is checked; without, the chain of issuers among the certificates that the server sent, up to a pinned
/// certificate or one that the session trusts: a root need not be sent.
public struct PinnedCertificatesTrustEvaluator: ServerTrustEvaluating {
  private let certificates: [Certificate]
  private let pins: Set<Certificate>
  private let acceptSelfSignedCertificates: Bool
  private let performDefaultValidation: Bool
  private let validateHost: Bool

  /// - Parameters:
  ///   - certificates: the pins; see ``Certificate/certificates(contentsOfFile:)``. Without any, every evaluation fails.
  ///   - acceptSelfSignedCertificates: whether the pinned certificates are the roots, and the only ones.
  ///   - performDefaultValidation: whether the chain must be valid, too.
  ///   - validateHost: whether the certificate must be for the host, too.
  public init(
    certificates: [Certificate], acceptSelfSignedCertificates: Bool = false, performDefaultValidation: Bool = true,
    validateHost: Bool = true
  ) {
    self.certificates = certificates
    pins = Set(certificates)
    self.acceptSelfSignedCertificates = acceptSelfSignedCertificates
    self.performDefaultValidation = performDefaultValidation
    self.validateHost = validateHost
  }

  /// Throws unless the chain has a pinned certificate in it, and passes the other checks that were asked for.
  public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
    guard !certificates.isEmpty else { throw TapelineError.serverTrust(.noCertificatesFound) }
    let chain =
      if performDefaultValidation {
        try trust.chain(to: acceptSelfSignedCertificates ? .only(certificates) : nil)
      } else {
        trust.anchoredChain(certificates)
      }
    if validateHost { try trust.performValidation(forHost: host) }
    guard chain.contains(where: pins.contains) else {
      throw TapelineError.serverTrust(
        .certificatePinningFailed(
          host: host, pinnedCertificates: certificates.map { Data($0.der) }, serverCertificates: chain.map { Data($0.der) }))
    }
  }
}
