internal import FoundationEssentials

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
