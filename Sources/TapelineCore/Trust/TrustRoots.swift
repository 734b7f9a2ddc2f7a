internal import TapelineTLS

/// The certificates that a session trusts to vouch for a server.
///
/// Certificates that are named here are trusted whatever they are: roots, intermediates, or a server's own.
public enum TrustRoots: Sendable, Hashable {
  /// The system's roots: OpenSSL's default places, or those that the environment variables `SSL_CERT_FILE` and `SSL_CERT_DIR`
  /// name.
  case system
  /// The system's roots, and these.
  case adding([Certificate])
  /// Only these.
  case only([Certificate])

  func makeStore() throws(TLSError) -> TrustStore {
    switch self {
    case .system: try .system()
    case .adding(let certificates): try .system(adding: certificates.map(\.handle))
    case .only(let certificates): .only(certificates.map(\.handle))
    }
  }
}
