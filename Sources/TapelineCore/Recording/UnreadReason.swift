/// Why a tunnel was relayed, and not read.
package enum UnreadReason: String, Sendable, Hashable, CaseIterable {
  /// The client refuses our certificate.
  case pinned
  /// It offers no protocol that we decrypt.
  case h2Only = "h2-only"
  /// Neither TLS nor HTTP is in the tunnel.
  case notTLS = "not-tls"
  /// The user wants this host left alone.
  case passedThrough = "passed-through"
  /// Nothing is decrypted.
  case notIntercepted = "not-intercepted"

  /// Whether that is as the user asked for it, so that there is nothing to be told.
  package var isAskedFor: Bool {
    switch self {
    case .passedThrough, .notIntercepted: true
    case .pinned, .h2Only, .notTLS: false
    }
  }
}
