package import TapelineTLS

/// A server that is about to be trusted, or not: the host that we wanted to reach, and the certificates that the server has
/// shown.
///
/// A server can send any certificates along with its own. Compare with ``chain(to:)`` or ``issuedChain``, which have only those
/// that vouch for it; use ``certificates`` for display only.
public struct ServerTrust: Sendable {
  /// The host of the request: a name without the root's dot, or an address without brackets.
  public let host: String
  /// The certificates that the server sent: its own, then any others. For a resumed session: as they were sent in its first
  /// handshake.
  public let certificates: [Certificate]
  /// The OCSP response in DER that the server stapled to its certificate (RFC 6066 8), unchecked. `nil` if the server stapled
  /// none, or if the evaluator does not ask for one.
  public let stapledResponse: [UInt8]?
  /// Whether the connection resumes an earlier one's session. Such a server is evaluated as any other.
  public let isResumed: Bool
  /// The roots that the session trusts.
  let store: TrustStore

  package init(_ peer: PeerCertificates) {
    host = peer.serverName
    certificates = peer.chain.map { Certificate($0) }
    stapledResponse = peer.stapledResponse
    isResumed = peer.isResumed
    store = peer.trust
  }

  /// The server's own certificate.
  public var leaf: Certificate { certificates[0] }

  /// The keys of `certificates`.
  public var publicKeys: [PublicKey] { certificates.map(\.publicKey) }

  /// The server's own certificate and, after each, the one that issued it, as far as the server sent them. The last of them need
  /// not be trusted.
  public var issuedChain: [Certificate] {
    X509Handle.issuedChain(in: certificates.map(\.handle)).map { Certificate($0) }
  }

  /// As ``issuedChain``, up to a certificate that the session trusts, or one of `anchors`. Servers need not send those
  /// (RFC 8446 4.4.2).
  func anchoredChain(_ anchors: [Certificate] = []) -> [Certificate] {
    let known = anchors.filter { !certificates.contains($0) }
    var chain = X509Handle.issuedChain(in: (certificates + known).map(\.handle))
    if let last = chain.last, let anchor = store.issuer(of: last), anchor.der != last.der { chain.append(anchor) }
    return chain.map { Certificate($0) }
  }

  // MARK: Evaluation

  /// The chain from the server's certificate to one that is trusted, verified now: signatures, times, constraints, purposes, and
  /// the strength of keys. It does not check whether the server's certificate is for the host.
  ///
  /// - Parameter roots: the roots to trust; `nil`: those of the session.
  /// - Throws: `TapelineError.serverTrustEvaluationFailed`.
  public func chain(to roots: TrustRoots? = nil) throws(TapelineError) -> [Certificate] {
    let store = try store(of: roots)
    do throws(ChainError) {
      return try store.chain(of: certificates.map(\.handle)).map { Certificate($0) }
    } catch {
      throw .serverTrust(.defaultEvaluationFailed(host: host, problem: ServerTrustProblem(error)))
    }
  }

  /// Fails unless there is a chain from the server's certificate to one that the session trusts.
  public func performDefaultValidation(forHost host: String) throws(TapelineError) {
    _ = try chain()
  }

  /// Fails unless the server's own certificate is for `host`, by its subject alternative names (RFC 9110 4.3.4).
  public func performValidation(forHost host: String) throws(TapelineError) {
    guard leaf.handle.isFor(host) else {
      let names = leaf.names
      let message = names.isEmpty ? "the certificate is for no host" : "the certificate is for \(names.joined(separator: ", "))"
      throw .serverTrust(
        .hostValidationFailed(host: host, problem: ServerTrustProblem(.hostMismatch, message, certificate: leaf)))
    }
  }

  func store(of roots: TrustRoots?) throws(TapelineError) -> TrustStore {
    do throws(TLSError) {
      return try roots?.makeStore() ?? store
    } catch {
      throw .serverTrust(.trustEvaluationFailed(error: error))
    }
  }
}

/// A problem with a server's certificates.
public struct ServerTrustProblem: Sendable, Hashable, CustomStringConvertible {
  /// The problem, for programs.
  public enum Kind: Sendable, Hashable {
    /// A certificate has expired, by this machine's clock.
    case expired
    /// A certificate is not valid yet, by this machine's clock.
    case notYetValid
    /// The server's certificate vouches for itself, and nobody else does.
    case selfSigned
    /// No trusted authority vouches for the server, or an intermediate certificate is missing.
    case unknownAuthority
    /// The certificate is for other names or addresses.
    case hostMismatch
    /// A certificate was revoked.
    case revoked
    /// No source says whether a certificate was revoked, and one had to.
    case revocationUnknown
    /// A key or a signature is weaker than 112 bits of security.
    case weakKey
    /// Another problem: see the message.
    case other
  }

  /// The problem, for programs.
  public let kind: Kind
  /// The problem, for people.
  public let message: String
  /// The certificate that has the problem; `nil` when the chain has it.
  public let certificate: Certificate?

  init(_ kind: Kind, _ message: String, certificate: Certificate? = nil) {
    self.kind = kind
    self.message = message
    self.certificate = certificate
  }

  init(_ error: ChainError) {
    self.init(Kind(error.problem), error.message, certificate: error.certificate.map { Certificate($0) })
  }

  /// The message.
  public var description: String { message }
}

extension ServerTrustProblem.Kind {
  init(_ problem: CertificateProblem) {
    self =
      switch problem {
      case .expired: .expired
      case .notYetValid: .notYetValid
      case .selfSigned: .selfSigned
      case .unknownAuthority: .unknownAuthority
      case .hostMismatch: .hostMismatch
      case .revoked: .revoked
      case .revocationUnknown: .revocationUnknown
      case .weakKey: .weakKey
      case .other: .other
      }
  }

  /// The problem that our alert names to the server; `nil` when the alert says only that the certificate is bad.
  var certificateProblem: CertificateProblem? {
    switch self {
    case .expired: .expired
    case .notYetValid: .notYetValid
    case .selfSigned: .selfSigned
    case .unknownAuthority: .unknownAuthority
    case .hostMismatch: .hostMismatch
    case .revoked: .revoked
    case .revocationUnknown: .revocationUnknown
    case .weakKey: .weakKey
    case .other: nil
    }
  }
}
