public import FoundationEssentials
internal import TapelineLoop

// MARK: - Which case

extension TapelineError {
  /// Whether `cancel()` was called.
  public var isExplicitlyCancelledError: Bool { if case .explicitlyCancelled = self { true } else { false } }

  /// Whether the body of an upload could not be made.
  public var isCreateUploadableError: Bool { if case .createUploadableFailed = self { true } else { false } }

  /// Whether the `URLRequest` could not be made.
  public var isCreateURLRequestError: Bool { if case .createURLRequestFailed = self { true } else { false } }

  /// Whether a downloaded file could not be moved to its destination.
  public var isDownloadedFileMoveError: Bool { if case .downloadedFileMoveFailed = self { true } else { false } }

  /// Whether a download could not go on from its resume data.
  public var isInvalidResumeDataError: Bool { if case .invalidResumeData = self { true } else { false } }

  /// Whether a value given as a URL is not one.
  public var isInvalidURLError: Bool { if case .invalidURL = self { true } else { false } }

  /// Whether a form could not be encoded.
  public var isMultipartEncodingError: Bool { if case .multipartEncodingFailed = self { true } else { false } }

  /// Whether a `ParameterEncoding` failed.
  public var isParameterEncodingError: Bool { if case .parameterEncodingFailed = self { true } else { false } }

  /// Whether a `ParameterEncoder` failed.
  public var isParameterEncoderError: Bool { if case .parameterEncoderFailed = self { true } else { false } }

  /// Whether a redirection could not be followed.
  public var isRedirectionError: Bool { if case .redirectionFailed = self { true } else { false } }

  /// Whether an adapter failed.
  public var isRequestAdaptationError: Bool { if case .requestAdaptationFailed = self { true } else { false } }

  /// Whether a retrier gave an error of its own.
  public var isRequestRetryError: Bool { if case .requestRetryFailed = self { true } else { false } }

  /// Whether a validation was not satisfied.
  public var isResponseValidationError: Bool { if case .responseValidationFailed = self { true } else { false } }

  /// Whether the body could not be made into a value.
  public var isResponseSerializationError: Bool { if case .responseSerializationFailed = self { true } else { false } }

  /// Whether an evaluator did not trust the server.
  public var isServerTrustEvaluationError: Bool { if case .serverTrustEvaluationFailed = self { true } else { false } }

  /// Whether the session was released before the request had ended.
  public var isSessionDeinitializedError: Bool { if case .sessionDeinitialized = self { true } else { false } }

  /// Whether the session was invalidated.
  public var isSessionInvalidatedError: Bool { if case .sessionInvalidated = self { true } else { false } }

  /// Whether the transport failed.
  public var isSessionTaskError: Bool { if case .sessionTaskFailed = self { true } else { false } }

  /// Whether the `URLRequest` cannot be sent as it is.
  public var isURLRequestValidationError: Bool { if case .urlRequestValidationFailed = self { true } else { false } }

  /// Whether the transport gave up waiting.
  public var isTimeout: Bool { transportError?.kind == .timedOut }
}

// MARK: - What the case carries

extension TapelineError {
  /// The value that was given as a URL and is not one.
  public var urlConvertible: (any URLConvertible)? {
    if case .invalidURL(let url) = self { url } else { nil }
  }

  /// The URL that a multipart failure is about.
  public var url: URL? {
    if case .multipartEncodingFailed(let reason) = self { reason.url } else { nil }
  }

  /// The file that could not be moved.
  public var sourceURL: URL? {
    if case .downloadedFileMoveFailed(_, let source, _) = self { source } else { nil }
  }

  /// Where a file could not be moved to.
  public var destinationURL: URL? {
    if case .downloadedFileMoveFailed(_, _, let destination) = self { destination } else { nil }
  }

  /// The status that was not acceptable.
  public var responseCode: Int? {
    if case .responseValidationFailed(.unacceptableStatusCode(let code)) = self { code } else { nil }
  }

  /// The content type that was not acceptable.
  public var responseContentType: String? {
    if case .responseValidationFailed(.unacceptableContentType(_, let type)) = self { type } else { nil }
  }

  /// The content types that would have been acceptable.
  public var acceptableContentTypes: [String]? {
    switch self {
    case .responseValidationFailed(.unacceptableContentType(let acceptable, _)): acceptable
    case .responseValidationFailed(.missingContentType(let acceptable)): acceptable
    default: nil
    }
  }

  /// The encoding in which the body is not text.
  public var failedTextEncoding: TextEncoding? {
    if case .responseSerializationFailed(.stringSerializationFailed(let encoding)) = self { encoding } else { nil }
  }

  /// The error that this one wraps, if the cause is outside the library.
  public var underlyingError: (any Error)? {
    switch self {
    case .createUploadableFailed(let error), .createURLRequestFailed(let error), .downloadedFileMoveFailed(let error, _, _),
      .requestAdaptationFailed(let error), .sessionTaskFailed(let error):
      error
    case .requestRetryFailed(let retryError, _): retryError
    case .sessionInvalidated(let error): error
    case .invalidResumeData(let reason): reason.underlyingError
    case .multipartEncodingFailed(let reason): reason.underlyingError
    case .parameterEncodingFailed(let reason): reason.underlyingError
    case .parameterEncoderFailed(let reason): reason.underlyingError
    case .responseValidationFailed(let reason): reason.underlyingError
    case .responseSerializationFailed(let reason): reason.underlyingError
    case .serverTrustEvaluationFailed(let reason): reason.underlyingError
    case .explicitlyCancelled, .invalidURL, .redirectionFailed, .sessionDeinitialized, .urlRequestValidationFailed: nil
    }
  }
}

extension TapelineError.ResumeDataFailureReason {
  var underlyingError: (any Error)? {
    switch self {
    case .malformed(let error): error
    case .unsupportedVersion, .partialFileMissing: nil
    }
  }
}

extension TapelineError.MultipartEncodingFailureReason {
  var underlyingError: (any Error)? {
    switch self {
    case .bodyPartFileNotReachableWithError(_, let error), .bodyPartFileSizeQueryFailedWithError(_, let error),
      .outputStreamWriteFailed(let error), .inputStreamReadFailed(let error):
      error
    case .bodyPartURLInvalid, .bodyPartFilenameInvalid, .bodyPartFileNotReachable, .bodyPartFileIsDirectory,
      .bodyPartFileSizeNotAvailable, .bodyPartInputStreamCreationFailed, .bodyPartLengthMismatch, .outputStreamCreationFailed,
      .outputStreamFileAlreadyExists, .outputStreamURLInvalid:
      nil
    }
  }

  var url: URL? {
    switch self {
    case .bodyPartURLInvalid(let url), .bodyPartFilenameInvalid(let url), .bodyPartFileNotReachable(let url),
      .bodyPartFileNotReachableWithError(let url, _), .bodyPartFileIsDirectory(let url), .bodyPartFileSizeNotAvailable(let url),
      .bodyPartFileSizeQueryFailedWithError(let url, _), .bodyPartInputStreamCreationFailed(let url),
      .outputStreamCreationFailed(let url), .outputStreamFileAlreadyExists(let url), .outputStreamURLInvalid(let url):
      url
    case .bodyPartLengthMismatch, .outputStreamWriteFailed, .inputStreamReadFailed: nil
    }
  }
}

extension TapelineError.ParameterEncodingFailureReason {
  var underlyingError: (any Error)? {
    switch self {
    case .jsonEncodingFailed(let error), .customEncodingFailed(let error): error
    case .missingURL: nil
    }
  }
}

extension TapelineError.ParameterEncoderFailureReason {
  var underlyingError: (any Error)? {
    switch self {
    case .encoderFailed(let error): error
    case .missingRequiredComponent: nil
    }
  }
}

extension TapelineError.ResponseValidationFailureReason {
  var underlyingError: (any Error)? {
    switch self {
    case .customValidationFailed(let error): error
    case .dataFileNil, .dataFileReadFailed, .missingContentType, .unacceptableContentType, .unacceptableStatusCode: nil
    }
  }
}

extension TapelineError.ResponseSerializationFailureReason {
  var underlyingError: (any Error)? {
    switch self {
    case .jsonSerializationFailed(let error), .decodingFailed(let error), .customSerializationFailed(let error): error
    case .inputDataNilOrZeroLength, .inputDataDecodingFailed, .inputFileNil, .inputFileReadFailed, .stringSerializationFailed,
      .invalidEmptyResponse:
      nil
    }
  }
}

extension TapelineError.ServerTrustFailureReason {
  var underlyingError: (any Error)? {
    switch self {
    case .trustEvaluationFailed(let error): error
    case .customEvaluationFailed(let error): .some(error)
    case .noRequiredEvaluator, .noCertificatesFound, .noPublicKeysFound, .defaultEvaluationFailed, .hostValidationFailed,
      .revocationCheckFailed, .certificatePinningFailed, .publicKeyPinningFailed:
      nil
    }
  }
}
