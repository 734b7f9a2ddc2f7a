public import FoundationEssentials

extension TapelineError: LocalizedError, CustomStringConvertible {
  /// A sentence that says what failed and why.
  public var description: String {
    switch self {
    case .createUploadableFailed(let error): "The upload's body could not be prepared: \(error)"
    case .createURLRequestFailed(let error): "The request could not be made: \(error)"
    case .downloadedFileMoveFailed(let error, let source, let destination):
      "The download could not be moved from \(source.path) to \(destination.path): \(error)"
    case .explicitlyCancelled: "The request was cancelled."
    case .invalidResumeData(let reason): "The download cannot be continued: \(reason)"
    case .invalidURL(let url): "This is not a URL: \(url)"
    case .multipartEncodingFailed(let reason): "The multipart body could not be made: \(reason)"
    case .parameterEncodingFailed(let reason): "The parameters could not be encoded: \(reason)"
    case .parameterEncoderFailed(let reason): "The parameters could not be encoded: \(reason)"
    case .redirectionFailed(let reason): "The redirection was not followed: \(reason)"
    case .requestAdaptationFailed(let error): "An adapter refused the request: \(error)"
    case .requestRetryFailed(let retryError, let originalError):
      "Deciding about a retry failed: \(retryError) (The request had failed: \(originalError))"
    case .responseValidationFailed(let reason): "The response is not acceptable: \(reason)"
    case .responseSerializationFailed(let reason): "The response could not be read: \(reason)"
    case .serverTrustEvaluationFailed(let reason): "The server is not trusted: \(reason)"
    case .sessionDeinitialized:
      "The session was released while the request was in flight: keep the session as long as its requests."
    case .sessionInvalidated(let error): "The session was ended" + (error.map { ": \($0)" } ?? ".")
    case .sessionTaskFailed(let error): "The request failed: \(error)"
    case .urlRequestValidationFailed(let reason): "The request may not be sent: \(reason)"
    }
  }

  /// As `description`.
  public var errorDescription: String? { description }
}

extension TapelineError.MultipartEncodingFailureReason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .bodyPartURLInvalid(let url): "\(url) is not a file's URL."
    case .bodyPartFilenameInvalid(let url): "\(url) names no file."
    case .bodyPartFileNotReachable(let url): "there is no file \(url.path)."
    case .bodyPartFileNotReachableWithError(let url, let error): "\(url.path) cannot be reached: \(error)"
    case .bodyPartFileIsDirectory(let url): "\(url.path) is a directory."
    case .bodyPartFileSizeNotAvailable(let url): "the size of \(url.path) is not known."
    case .bodyPartFileSizeQueryFailedWithError(let url, let error): "the size of \(url.path) is not known: \(error)"
    case .bodyPartInputStreamCreationFailed(let url): "\(url.path) cannot be opened."
    case .bodyPartLengthMismatch(let expected, let read):
      "a part was declared to have \(expected) bytes and has \(read > expected ? "more" : "\(read)")."
    case .outputStreamCreationFailed(let url): "\(url.path) cannot be written."
    case .outputStreamFileAlreadyExists(let url): "\(url.path) exists."
    case .outputStreamURLInvalid(let url): "\(url) is not a file's URL."
    case .outputStreamWriteFailed(let error): "writing failed: \(error)"
    case .inputStreamReadFailed(let error): "reading failed: \(error)"
    }
  }
}

extension TapelineError.ParameterEncodingFailureReason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missingURL: "the request has no URL."
    case .jsonEncodingFailed(let error), .customEncodingFailed(let error): "\(error)"
    }
  }
}

extension TapelineError.ParameterEncoderFailureReason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missingRequiredComponent(.url): "the request has no URL."
    case .missingRequiredComponent(.httpMethod(let rawValue)): "the request has no method but \(rawValue ?? "nil")."
    case .encoderFailed(let error): "\(error)"
    }
  }
}

extension TapelineError.URLRequestValidationFailureReason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .bodyDataInGETRequest(let data): "a GET with a body (\(data.count) bytes) has no defined meaning."
    case .invalidMethod(let method): "\(String(reflecting: method)) is not a method for a URL."
    case .invalidHeader(let name): "the header field \(String(reflecting: name)) has a character that no field may have."
    case .missingURL: "it has no URL."
    case .unsupportedScheme(nil, let url): "its URL, \(url.sanitizedText), has no scheme: it needs http:// or https://."
    case .unsupportedScheme(let scheme?, let url): "its URL, \(url.sanitizedText), has the scheme \(scheme), not http or https."
    case .invalidHost(let url): "its URL, \(url.sanitizedText), names no valid host."
    case .invalidTarget: "its target is neither a path nor, for OPTIONS, an asterisk."
    }
  }
}

extension TapelineError.RedirectionFailureReason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooManyRedirects(let limit): "there were more than \(limit) in a row."
    case .invalidLocation(let location): "\(String(reflecting: location)) is not a URL to go to."
    case .unsupportedScheme(let scheme): "it leads to the scheme \(scheme), not http or https."
    case .bodyNotReplayable: "the body would have to be sent again and cannot be."
    }
  }
}

extension TapelineError.ResumeDataFailureReason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .malformed(let error): "the resume data is damaged" + (error.map { ": \($0)" } ?? ".")
    case .unsupportedVersion(let version): "the resume data is of version \(version), which is not known."
    case .partialFileMissing(let url): "\(url.path) is gone."
    }
  }
}

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
