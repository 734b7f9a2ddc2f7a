/// Why a tunnel was relayed without being read.
package enum UnreadReason: String, Sendable, Hashable, CaseIterable {
  /// The client refuses our certificate.
  case pinned
  /// The client offers no protocol that tapeline decrypts.
  case h2Only = "h2-only"
  /// The tunnel carries neither TLS nor HTTP.
  case notTLS = "not-tls"
  /// The user wants this host left alone.
  case passedThrough = "passed-through"
  /// tapeline decrypts nothing.
  case notIntercepted = "not-intercepted"

  /// Whether the user asked for this, so that there is nothing to report.
  package var isAskedFor: Bool {
    switch self {
    case .passedThrough, .notIntercepted: true
    case .pinned, .h2Only, .notTLS: false
    }
  }
}
