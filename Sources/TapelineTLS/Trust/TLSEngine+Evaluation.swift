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
