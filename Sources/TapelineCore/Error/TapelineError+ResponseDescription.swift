internal import FoundationEssentials

extension TapelineError.ResponseValidationFailureReason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .dataFileNil: "there is no file."
    case .dataFileReadFailed(let url): "\(url.path) cannot be read."
    case .missingContentType(let acceptable): "it has no content type, and \(acceptable.joined(separator: ", ")) was asked for."
    case .unacceptableContentType(let acceptable, let type):
      "it is \(type), and \(acceptable.joined(separator: ", ")) was asked for."
    case .unacceptableStatusCode(let code): "its status is \(code)."
    case .customValidationFailed(let error): "\(error)"
    }
  }
}

extension TapelineError.ResponseSerializationFailureReason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .inputDataNilOrZeroLength: "there is no body."
    case .inputDataDecodingFailed(let problem): "its content coding could not be undone: \(problem)."
    case .inputFileNil: "there is no file."
    case .inputFileReadFailed(let url): "\(url.path) cannot be read."
    case .stringSerializationFailed(let encoding): "the body is no text in \(encoding)."
    case .jsonSerializationFailed(let error): "the body is no JSON: \(error)"
    case .decodingFailed(let error): "the body is not what was expected: \(error)"
    case .customSerializationFailed(let error): "\(error)"
    case .invalidEmptyResponse(let type): "there is no body, and \(type) has no value for that."
    }
  }
}

extension TapelineError.ServerTrustFailureReason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noRequiredEvaluator(let host): "no evaluator is set for \(host), and every host must have one."
    case .noCertificatesFound: "there are no pinned certificates."
    case .noPublicKeysFound: "there are no pinned keys."
    case .trustEvaluationFailed(let error): "the evaluation failed" + (error.map { ": \($0)" } ?? ".")
    case .defaultEvaluationFailed(let host, let problem), .hostValidationFailed(let host, let problem),
      .revocationCheckFailed(let host, let problem):
      "\(host): \(problem)"
    case .certificatePinningFailed(let host, _, _): "\(host) shows none of the pinned certificates."
    case .publicKeyPinningFailed(let host, _, _): "\(host) shows none of the pinned keys."
    case .customEvaluationFailed(let error): "\(error)"
    }
  }
}
