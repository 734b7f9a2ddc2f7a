internal import TapelineTLS

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
