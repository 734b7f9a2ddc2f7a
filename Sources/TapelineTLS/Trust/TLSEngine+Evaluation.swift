// How an evaluator judges a client's server. It is called as early as all is known that it asks for, so that a server that is
// refused gets neither our certificate nor a byte of data:
//
// - when the server's certificate comes;
// - in TLS 1.2, where a stapled response comes after the certificate, when the server has said all it has to say;
// - when the handshake ends, if a session was resumed.
extension TLSEngine {
  /// Why the evaluator refused the server.
  package var evaluationFailure: (any Error)? { evaluation?.refusal?.cause }

  /// Asks the evaluator, if there is one and it has not been asked.
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

  /// Called by OpenSSL when the server's certificate has come; `nil`: OpenSSL shall judge it.
  func certificateDidCome() -> PeerVerdict? {
    guard let evaluation else { return nil }
    if evaluation.evaluator.needsStapledResponse, ssl.version < .tls13 { return .accepted }
    return evaluatePeer() ? .accepted : .refused(self.evaluation?.refusal?.problem)
  }

  /// Called by OpenSSL when the server has stapled a response, or not, as it was asked for.
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

  /// Of this handshake, or of the first one of a session that it resumes. Kept only for an evaluator that asks for it.
  var stapledResponse: [UInt8]? {
    guard let evaluation, evaluation.evaluator.needsStapledResponse else { return nil }
    return ssl.isResumed ? offeredStapledResponse : ssl.stapledResponse
  }

  /// The evaluator's no as the connection's end.
  var refusal: TLSError {
    guard let refusal = evaluation?.refusal else { preconditionFailure("a server is refused by its evaluator") }
    return TLSError(
      .certificate(refusal.problem ?? .other(refusal.message)), refusal.message,
      certificate: ssl.presentedCertificate, alertSent: alertSent)
  }
}

/// What OpenSSL is told of a server's certificate.
enum PeerVerdict {
  case accepted
  case refused(CertificateProblem?)
}
