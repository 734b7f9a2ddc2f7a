public import FoundationEssentials
package import TapelineTransport

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

extension Error {
  /// This error as the library's, if it is one.
  public var asTapelineError: TapelineError? { self as? TapelineError }

  /// This error as the library's; any other error is a mistake in the program and stops it with `message`.
  public func asTapelineError(orFailWith message: @autoclosure () -> String) -> TapelineError {
    guard let error = self as? TapelineError else { preconditionFailure(message()) }
    return error
  }

  /// This error as the library's, or `other` in place of one that is not.
  public func asTapelineError(or other: @autoclosure () -> TapelineError) -> TapelineError {
    self as? TapelineError ?? other()
  }
}

extension Error {
  /// `asTapelineError` under the name that users of Alamofire know.
  public var asAFError: AFError? { asTapelineError }

  /// `asTapelineError(orFailWith:)` under the name that users of Alamofire know.
  public func asAFError(orFailWith message: @autoclosure () -> String) -> AFError {
    asTapelineError(orFailWith: message())
  }

  /// `asTapelineError(or:)` under the name that users of Alamofire know.
  public func asAFError(or defaultAFError: @autoclosure () -> AFError) -> AFError {
    asTapelineError(or: defaultAFError())
  }
}

extension TapelineError {
  /// The transport's error; `nil` if the failure is not the transport's.
  package var transportError: TransportError? {
    switch self {
    case .sessionTaskFailed(let error):
      (error as? SessionTaskError)?.transport ?? error as? TransportError ?? (error as? TapelineError)?.transportError
    default:
      nil
    }
  }
}

/// The library's error under the name that users of Alamofire know.
public typealias AFError = TapelineError

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
