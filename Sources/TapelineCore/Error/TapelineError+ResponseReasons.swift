public import FoundationEssentials

extension TapelineError {
  /// Why a response is not acceptable.
  public enum ResponseValidationFailureReason: Sendable {
    /// A download has no file to validate.
    case dataFileNil
    /// The file of a download could not be examined.
    case dataFileReadFailed(at: URL)
    /// The response has no content type, and `*/*` is not among the acceptable ones.
    case missingContentType(acceptableContentTypes: [String])
    /// The content type is not among the acceptable ones.
    case unacceptableContentType(acceptableContentTypes: [String], responseContentType: String)
    /// The status is not among the acceptable ones.
    case unacceptableStatusCode(code: Int)
    /// A custom validation failed.
    case customValidationFailed(error: any Error)
  }

  /// Why a body could not be made into a value.
  public enum ResponseSerializationFailureReason: Sendable {
    /// There is no body where one is needed.
    case inputDataNilOrZeroLength
    /// A content coding that the response names could not be undone; `problem` says why.
    case inputDataDecodingFailed(problem: String)
    /// A download has no file.
    case inputFileNil
    /// The file of a download could not be read.
    case inputFileReadFailed(at: URL)
    /// The body is not text in this encoding.
    case stringSerializationFailed(encoding: TextEncoding)
    /// The body is not JSON.
    case jsonSerializationFailed(error: any Error)
    /// The decoder failed.
    case decodingFailed(error: any Error)
    /// A custom serializer failed.
    case customSerializationFailed(error: any Error)
    /// The response may be empty, but the wanted type has no value for an empty body.
    case invalidEmptyResponse(type: String)
  }

  /// Why a server is not trusted.
  public enum ServerTrustFailureReason: Sendable {
    /// Every host must be evaluated, and there is no evaluator for this one.
    case noRequiredEvaluator(host: String)
    /// An evaluator that pins certificates has none.
    case noCertificatesFound
    /// An evaluator that pins keys has none.
    case noPublicKeysFound
    /// The trust engine could not do its work.
    case trustEvaluationFailed(error: (any Error)?)
    /// The chain does not lead to a trusted root, or is not valid now.
    case defaultEvaluationFailed(host: String, problem: ServerTrustProblem)
    /// The leaf certificate is not for this host.
    case hostValidationFailed(host: String, problem: ServerTrustProblem)
    /// A certificate was revoked, or nothing proves that it was not.
    case revocationCheckFailed(host: String, problem: ServerTrustProblem)
    /// No certificate of the chain is pinned. Certificates are in DER.
    case certificatePinningFailed(host: String, pinnedCertificates: [Data], serverCertificates: [Data])
    /// No key of the chain is pinned. Keys are SubjectPublicKeyInfo in DER.
    case publicKeyPinningFailed(host: String, pinnedKeys: [Data], serverKeys: [Data])
    /// A custom evaluator failed.
    case customEvaluationFailed(error: any Error)
  }
}
