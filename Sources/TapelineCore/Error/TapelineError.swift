public import FoundationEssentials

/// Why a request of a `Session` failed.
///
/// Everything the library reports through a response is one of these cases; `underlyingError` is the error that it wraps.
public enum TapelineError: Error {
  /// The body of an upload could not be made ready.
  case createUploadableFailed(error: any Error)
  /// The value given in place of a `URLRequest` threw instead of making one.
  case createURLRequestFailed(error: any Error)
  /// A finished download could not be moved to its destination.
  case downloadedFileMoveFailed(error: any Error, source: URL, destination: URL)
  /// `cancel()` was called on the request.
  case explicitlyCancelled
  /// The data given to continue a download does not describe one.
  case invalidResumeData(reason: ResumeDataFailureReason)
  /// A value given as a `URL` is not one.
  case invalidURL(url: any URLConvertible)
  /// A multipart body could not be made.
  case multipartEncodingFailed(reason: MultipartEncodingFailureReason)
  /// A `ParameterEncoding` failed.
  case parameterEncodingFailed(reason: ParameterEncodingFailureReason)
  /// A `ParameterEncoder` failed.
  case parameterEncoderFailed(reason: ParameterEncoderFailureReason)
  /// A redirection could not be followed.
  case redirectionFailed(reason: RedirectionFailureReason)
  /// A request adapter threw.
  case requestAdaptationFailed(error: any Error)
  /// A retrier failed while it was asked what to do about an error.
  case requestRetryFailed(retryError: any Error, originalError: any Error)
  /// The response did not pass validation.
  case responseValidationFailed(reason: ResponseValidationFailureReason)
  /// The body could not be made into the wanted value.
  case responseSerializationFailed(reason: ResponseSerializationFailureReason)
  /// The server is not trusted.
  case serverTrustEvaluationFailed(reason: ServerTrustFailureReason)
  /// The `Session` was released before the request had ended.
  case sessionDeinitialized
  /// The session was ended, by an error or on purpose.
  case sessionInvalidated(error: (any Error)?)
  /// The transport could not complete the task.
  case sessionTaskFailed(error: any Error)
  /// The request may not be sent as it is.
  case urlRequestValidationFailed(reason: URLRequestValidationFailureReason)
}
