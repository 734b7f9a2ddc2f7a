extension TapelineError {
  static func serverTrust(_ reason: ServerTrustFailureReason) -> TapelineError {
    .serverTrustEvaluationFailed(reason: reason)
  }

  /// An evaluator's error, as a request's error.
  package static func serverTrust(_ refusal: any Error) -> TapelineError {
    refusal as? TapelineError ?? .serverTrust(.customEvaluationFailed(error: refusal))
  }
}

extension TapelineError.ServerTrustFailureReason {
  /// The problem with the server's certificates, if they are the cause.
  var problem: ServerTrustProblem? {
    switch self {
    case .defaultEvaluationFailed(_, let problem), .hostValidationFailed(_, let problem), .revocationCheckFailed(_, let problem):
      problem
    case .noRequiredEvaluator, .noCertificatesFound, .noPublicKeysFound, .trustEvaluationFailed, .certificatePinningFailed,
      .publicKeyPinningFailed, .customEvaluationFailed:
      nil
    }
  }
}
