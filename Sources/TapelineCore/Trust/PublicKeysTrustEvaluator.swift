internal import FoundationEssentials

/// Trusts servers whose chain has one of the pinned keys in it: the server's own, or that of a certificate that issued it.
///
/// Unlike a certificate, a key can stay the same when a server renews its certificate. As with
/// ``PinnedCertificatesTrustEvaluator``, a key counts only if it vouches for the server; the key of a root that the session
/// trusts counts even if the server does not send the root.
public struct PublicKeysTrustEvaluator: ServerTrustEvaluating {
  private let keys: [PublicKey]
  private let performDefaultValidation: Bool
  private let validateHost: Bool

  /// - Parameters:
  ///   - keys: the pins; ``Certificate/publicKey`` has that of a certificate. Without any, every evaluation fails.
  ///   - performDefaultValidation: whether the chain must be valid, too.
  ///   - validateHost: whether the certificate must be for the host, too.
  public init(keys: [PublicKey], performDefaultValidation: Bool = true, validateHost: Bool = true) {
    self.keys = keys
    self.performDefaultValidation = performDefaultValidation
    self.validateHost = validateHost
  }

  /// Throws unless the chain has a pinned key in it, and passes the other checks that were asked for.
  public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
    guard !keys.isEmpty else { throw TapelineError.serverTrust(.noPublicKeysFound) }
    let chain = performDefaultValidation ? try trust.chain() : trust.anchoredChain()
    if validateHost { try trust.performValidation(forHost: host) }
    let serverKeys = chain.map(\.publicKey)
    guard serverKeys.contains(where: keys.contains) else {
      throw TapelineError.serverTrust(
        .publicKeyPinningFailed(
          host: host, pinnedKeys: keys.map { Data($0.derRepresentation) },
          serverKeys: serverKeys.map { Data($0.derRepresentation) }))
    }
  }
}
