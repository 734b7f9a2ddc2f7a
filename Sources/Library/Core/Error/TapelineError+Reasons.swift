public import FoundationEssentials

extension TapelineError {
  /// Why a multipart body could not be made.
  public enum MultipartEncodingFailureReason: Sendable {
    /// The URL of a part is not a file URL.
    case bodyPartURLInvalid(url: URL)
    /// The URL of a part has no last component to be the file's name.
    case bodyPartFilenameInvalid(in: URL)
    /// There is no file at the URL of a part.
    case bodyPartFileNotReachable(at: URL)
    /// Looking for the file of a part failed.
    case bodyPartFileNotReachableWithError(atURL: URL, error: any Error)
    /// The URL of a part is a directory's.
    case bodyPartFileIsDirectory(at: URL)
    /// The system does not say how large the file of a part is.
    case bodyPartFileSizeNotAvailable(at: URL)
    /// Asking for the size of the file of a part failed.
    case bodyPartFileSizeQueryFailedWithError(forURL: URL, error: any Error)
    /// The file of a part could not be opened.
    case bodyPartInputStreamCreationFailed(for: URL)
    /// A part was shorter or longer than the length declared for it.
    case bodyPartLengthMismatch(expected: UInt64, read: UInt64)
    /// The file for the encoded body could not be opened.
    case outputStreamCreationFailed(for: URL)
    /// A file already exists where the encoded body should be written.
    case outputStreamFileAlreadyExists(at: URL)
    /// The URL for the encoded body is not a file URL.
    case outputStreamURLInvalid(url: URL)
    /// Writing the encoded body failed.
    case outputStreamWriteFailed(error: any Error)
    /// Reading a part failed.
    case inputStreamReadFailed(error: any Error)
  }

  /// Why a `ParameterEncoding` failed.
  public enum ParameterEncodingFailureReason: Sendable {
    /// The request has no URL to add a query to.
    case missingURL
    /// The parameters are not representable in JSON.
    case jsonEncodingFailed(error: any Error)
    /// A custom encoding failed.
    case customEncodingFailed(error: any Error)
  }

  /// Why a `ParameterEncoder` failed.
  public enum ParameterEncoderFailureReason: Sendable {
    /// A part of a request that an encoder needs.
    public enum RequiredComponent: Sendable, Hashable {
      /// A URL.
      case url
      /// The method as it is; `nil` if it is missing.
      case httpMethod(rawValue: String?)
    }

    /// The request lacks something the encoder needs.
    case missingRequiredComponent(RequiredComponent)
    /// The value's own encoding failed.
    case encoderFailed(error: any Error)
  }

  /// Why a request may not be sent.
  public enum URLRequestValidationFailureReason: Sendable, Hashable {
    /// A GET request with a body: its meaning is undefined (RFC 9110 9.3.1).
    case bodyDataInGETRequest(Data)
    /// The method is not a token (RFC 9110 9.1).
    case invalidMethod(String)
    /// A field's name is not a token, or its value has a line end, a NUL or another control character (RFC 9110 5.5). The error
    /// does not contain the value.
    case invalidHeader(name: String)
    /// The request has no URL.
    case missingURL
    /// The URL's scheme is neither `http` nor `https`, or the URL has none.
    case unsupportedScheme(String?, in: URL)
    /// The URL has no host, or no valid one.
    case invalidHost(in: URL)
    /// The target that was set is neither origin-form nor `*` (RFC 9112 3.2), or has a byte that targets must not have.
    case invalidTarget
  }

  /// Why a redirection could not be followed.
  public enum RedirectionFailureReason: Sendable, Hashable {
    /// More redirections than allowed.
    case tooManyRedirects(limit: Int)
    /// The `Location` is not a URL that we can go to.
    case invalidLocation(String)
    /// The `Location` is a URL with an unsupported scheme.
    case unsupportedScheme(String)
    /// The request's body would have to be sent again and cannot be.
    case bodyNotReplayable
  }

  /// Why data cannot continue a download.
  public enum ResumeDataFailureReason: Sendable {
    /// The data is damaged or is not resume data.
    case malformed(error: (any Error)?)
    /// The data has a format version that this version of the library does not support.
    case unsupportedVersion(Int)
    /// The downloaded part no longer exists.
    case partialFileMissing(at: URL)
  }

  // MARK: What is wrong with a response

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
