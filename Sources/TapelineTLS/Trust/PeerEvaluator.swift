/// Judges servers in OpenSSL's place.
package struct PeerEvaluator: Sendable {
  /// Whether we ask the server for its authority's statement about revocation (RFC 6066 8).
  let needsStapledResponse: Bool
  /// Returns why the server is refused. Called inside an engine's call, on its thread, which waits.
  let evaluate: @Sendable (PeerCertificates) -> PeerRefusal?

  package init(needsStapledResponse: Bool, evaluate: @escaping @Sendable (PeerCertificates) -> PeerRefusal?) {
    self.needsStapledResponse = needsStapledResponse
    self.evaluate = evaluate
  }
}

/// The facts about a server on which the judgement is based.
package struct PeerCertificates: Sendable {
  /// The server that we wanted to reach: a name without the trailing dot of the root, or an address.
  package let serverName: String
  /// In the order in which the server sent them, its own first; never empty. For a resumed session: as sent in its first
  /// handshake.
  package let chain: [X509Handle]
  /// An OCSP response, DER, not checked in any way; also `nil` if we did not ask for one.
  package let stapledResponse: [UInt8]?
  package let isResumed: Bool
  /// The certificates that the connection's context trusts.
  package let trust: TrustStore
}

/// An evaluator's refusal.
package struct PeerRefusal: Error {
  /// The evaluator's own error, for the caller that waits for the connection.
  package let cause: any Error
  /// The problem that our alert reports to the peer; `nil` reports only that a certificate is bad.
  package let problem: CertificateProblem?
  package let message: String

  package init(cause: any Error, problem: CertificateProblem?, message: String) {
    self.cause = cause
    self.problem = problem
    self.message = message
  }
}
