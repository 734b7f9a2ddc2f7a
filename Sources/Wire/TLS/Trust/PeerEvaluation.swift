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

/// The evaluation of one connection's server: at most one, and always before the handshake counts as ended.
struct PeerEvaluation {
  enum State {
    case pending
    case accepted
    case refused(PeerRefusal)
  }

  let evaluator: PeerEvaluator
  var state = State.pending

  init(evaluator: PeerEvaluator) {
    self.evaluator = evaluator
  }

  var refusal: PeerRefusal? {
    switch state {
    case .pending, .accepted: nil
    case .refused(let refusal): refusal
    }
  }
}

// How an evaluator judges the server of a client connection. We call it as soon as all its input is known, so that a refused
// server gets neither our certificate nor a byte of data:
//
// - when the server's certificate comes;
// - in TLS 1.2, where a stapled response comes after the certificate, when the server has finished its part of the handshake;
// - when the handshake ends, if a session was resumed.
extension TLSEngine {
  /// Why the evaluator refused the server.
  package var evaluationFailure: (any Error)? { evaluation?.refusal?.cause }

  /// Asks the evaluator, if there is one and it has not been asked yet.
  func evaluatePeer() -> Bool {
    guard let evaluation else { return true }
    switch evaluation.state {
    case .accepted: return true
    case .refused: return false
    case .pending:
      let refusal = evaluation.evaluator.evaluate(peerCertificates)
      self.evaluation?.state = refusal.map(PeerEvaluation.State.refused) ?? .accepted
      return refusal == nil
    }
  }

  /// Called by OpenSSL when the server's certificate has arrived; `nil` lets OpenSSL judge it.
  func certificateDidCome() -> PeerVerdict? {
    guard let evaluation else { return nil }
    if evaluation.evaluator.needsStapledResponse, ssl.version < .tls13 { return .accepted }
    return evaluatePeer() ? .accepted : .refused(self.evaluation?.refusal?.problem)
  }

  /// Called by OpenSSL after the server had its chance to staple a response, if we asked for one.
  func stapledResponseDidCome() -> Bool {
    ssl.isResumed || evaluatePeer()
  }

  private var peerCertificates: PeerCertificates {
    guard case .client(let context, let name) = side else { preconditionFailure("only clients judge their peers") }
    let chain = ssl.presentedChain
    precondition(!chain.isEmpty, "our cipher suites are all of servers that show a certificate")
    return PeerCertificates(
      serverName: name.text, chain: chain, stapledResponse: stapledResponse, isResumed: ssl.isResumed, trust: context.trust)
  }

  /// From this handshake, or from the first handshake of a resumed session. Kept only for an evaluator that asks for it.
  var stapledResponse: [UInt8]? {
    guard let evaluation, evaluation.evaluator.needsStapledResponse else { return nil }
    return ssl.isResumed ? offeredStapledResponse : ssl.stapledResponse
  }

  /// The evaluator's refusal as the error that ends the connection.
  var refusal: TLSError {
    guard let refusal = evaluation?.refusal else { preconditionFailure("a server is refused by its evaluator") }
    return TLSError(
      .certificate(refusal.problem ?? .other(refusal.message)), refusal.message,
      certificate: ssl.presentedCertificate, alertSent: alertSent)
  }
}

/// Our verdict on a server's certificate, for OpenSSL.
enum PeerVerdict {
  case accepted
  case refused(CertificateProblem?)
}
