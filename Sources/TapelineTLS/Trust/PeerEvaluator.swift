/// Judges servers in OpenSSL's place.
package struct PeerEvaluator: Sendable {
  /// Whether the server is asked for what its authority says of revocation (RFC 6066 8).
  let needsStapledResponse: Bool
  /// Returns why the server is refused. Called inside an engine's call, on its thread, which waits.
  let evaluate: @Sendable (PeerCertificates) -> PeerRefusal?

  package init(needsStapledResponse: Bool, evaluate: @escaping @Sendable (PeerCertificates) -> PeerRefusal?) {
    self.needsStapledResponse = needsStapledResponse
    self.evaluate = evaluate
  }
}

/// What is known of a server when it is judged.
package struct PeerCertificates: Sendable {
  /// Whom we wanted to reach: a name without the root's dot, or an address.
  package let serverName: String
  /// As they were sent, the server's own first; never empty. Of a resumed session: as they were sent in its first handshake.
  package let chain: [X509Handle]
  /// An OCSP response, DER, of which nothing is checked; `nil` too when none was asked for.
  package let stapledResponse: [UInt8]?
  package let isResumed: Bool
  /// Whom the connection's context believes.
  package let trust: TrustStore
}

/// An evaluator's no.
package struct PeerRefusal: Error {
  /// The evaluator's own error, for whoever waits for the connection.
  package let cause: any Error
  /// What the peer is told by our alert: that a certificate is bad, if nothing more precise is known.
  package let problem: CertificateProblem?
  package let message: String

  package init(cause: any Error, problem: CertificateProblem?, message: String) {
    self.cause = cause
    self.problem = problem
    self.message = message
  }
}
