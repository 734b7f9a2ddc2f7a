internal import FoundationEssentials

/// Decides whether a server is to be trusted, in place of the session's own check against its ``TrustRoots``.
///
/// An evaluator is asked in every handshake, full or resumed, before the server gets a byte of a request and before it gets the
/// client's certificate.
public protocol ServerTrustEvaluating: Sendable {
  /// Whether the server is asked to staple its authority's statement about revocation (RFC 6066 8). Without this,
  /// ``ServerTrust/stapledResponse`` is `nil`. The default is no.
  var needsStapledResponse: Bool { get }

  /// Throws unless the server is to be trusted.
  ///
  /// Called on the session's event loop, where nothing else happens until it returns: it must not wait, neither for a disk nor
  /// for a network. An error that is not a `TapelineError` becomes `customEvaluationFailed`.
  func evaluate(_ trust: ServerTrust, forHost host: String) throws
}

extension ServerTrustEvaluating {
  /// No.
  public var needsStapledResponse: Bool { false }
}

/// Trusts servers that the session's roots vouch for, as without any evaluator; the check of the host can be left out.
public struct DefaultTrustEvaluator: ServerTrustEvaluating {
  private let validateHost: Bool

  /// - Parameter validateHost: whether the certificate must be for the host.
  public init(validateHost: Bool = true) {
    self.validateHost = validateHost
  }

  /// Throws unless the chain leads to one of the session's roots, and the certificate is for `host`.
  public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
    if validateHost { try trust.performValidation(forHost: host) }
    try trust.performDefaultValidation(forHost: host)
  }
}

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

/// Trusts servers that all of its evaluators trust.
public struct CompositeTrustEvaluator: ServerTrustEvaluating {
  private let evaluators: [any ServerTrustEvaluating]

  /// - Parameter evaluators: asked in this order; the first that throws decides.
  public init(evaluators: [any ServerTrustEvaluating]) {
    self.evaluators = evaluators
  }

  /// Whether one of them asks for it.
  public var needsStapledResponse: Bool { evaluators.contains { $0.needsStapledResponse } }

  /// Throws the error of the first evaluator that throws.
  public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
    for evaluator in evaluators { try evaluator.evaluate(trust, forHost: host) }
  }
}

/// Trusts every server. The connection is protected against attackers who only listen, and against nobody else.
public struct DisabledTrustEvaluator: ServerTrustEvaluating {
  /// Makes an evaluator.
  public init() {}

  /// Does nothing.
  public func evaluate(_ trust: ServerTrust, forHost host: String) {}
}
