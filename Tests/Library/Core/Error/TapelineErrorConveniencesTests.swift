import FoundationEssentials
import TapelineCore
import TapelineTransport
import Testing

@Suite struct TapelineErrorConveniencesTests {
  private struct Cause: Error, Sendable {}

  /// Every case, with whether it wraps a cause.
  private static let samples: [(error: TapelineError, hasCause: Bool)] = [
    (.createUploadableFailed(error: Cause()), true), (.createURLRequestFailed(error: Cause()), true),
    (.downloadedFileMoveFailed(error: Cause(), source: URL(filePath: "/a"), destination: URL(filePath: "/b")), true),
    (.explicitlyCancelled, false), (.invalidResumeData(reason: .malformed(error: Cause())), true),
    (.invalidURL(url: "x y"), false),
    (.multipartEncodingFailed(reason: .outputStreamWriteFailed(error: Cause())), true),
    (.parameterEncodingFailed(reason: .customEncodingFailed(error: Cause())), true),
    (.parameterEncoderFailed(reason: .encoderFailed(error: Cause())), true),
    (.redirectionFailed(reason: .tooManyRedirects(limit: 3)), false), (.requestAdaptationFailed(error: Cause()), true),
    (.requestRetryFailed(retryError: Cause(), originalError: TapelineError.explicitlyCancelled), true),
    (.responseValidationFailed(reason: .customValidationFailed(error: Cause())), true),
    (.responseSerializationFailed(reason: .decodingFailed(error: Cause())), true),
    (.serverTrustEvaluationFailed(reason: .customEvaluationFailed(error: Cause())), true), (.sessionDeinitialized, false),
    (.sessionInvalidated(error: Cause()), true), (.sessionTaskFailed(error: Cause()), true),
    (.urlRequestValidationFailed(reason: .missingURL), false),
  ]

  @Test("Each case identifies itself and its underlying error")
  func cases() {
    for sample in Self.samples {
      let error = sample.error
      let flags = [
        error.isCreateUploadableError, error.isCreateURLRequestError, error.isDownloadedFileMoveError,
        error.isExplicitlyCancelledError, error.isInvalidResumeDataError, error.isInvalidURLError, error.isMultipartEncodingError,
        error.isParameterEncodingError, error.isParameterEncoderError, error.isRedirectionError, error.isRequestAdaptationError,
        error.isRequestRetryError, error.isResponseValidationError, error.isResponseSerializationError,
        error.isServerTrustEvaluationError, error.isSessionDeinitializedError, error.isSessionInvalidatedError,
        error.isSessionTaskError, error.isURLRequestValidationError,
      ]
      #expect(flags.count { $0 } == 1, "\(error)")
      #expect((error.underlyingError is Cause) == sample.hasCause, "\(error)")
      #expect(error.errorDescription == error.description)
      #expect(!error.description.isEmpty)
    }
  }

  @Test func whatACaseCarries() {
    let validation = TapelineError.responseValidationFailed(
      reason: .unacceptableContentType(acceptableContentTypes: ["a/b"], responseContentType: "c/d"))
    #expect(validation.acceptableContentTypes == ["a/b"])
    #expect(validation.responseContentType == "c/d")
    #expect(validation.responseCode == nil)
    #expect(TapelineError.responseValidationFailed(reason: .unacceptableStatusCode(code: 404)).responseCode == 404)
    let move = TapelineError.downloadedFileMoveFailed(
      error: Cause(), source: URL(filePath: "/a"), destination: URL(filePath: "/b"))
    #expect(move.sourceURL?.path == "/a")
    #expect(move.destinationURL?.path == "/b")
    #expect(TapelineError.invalidURL(url: "x y").urlConvertible as? String == "x y")
    let part = TapelineError.multipartEncodingFailed(reason: .bodyPartFileIsDirectory(at: URL(filePath: "/d")))
    #expect(part.url?.path == "/d")
    #expect(part.underlyingError == nil)
    #expect(TapelineError.explicitlyCancelled.url == nil)
  }

  @Test func timeouts() {
    let error = TransportError(origin: .upstream, phase: .wait, kind: .timedOut, message: "slow")
    #expect(TapelineError.sessionTaskFailed(error: error).isTimeout)
    #expect(!TapelineError.explicitlyCancelled.isTimeout)
  }

  @Test func valuesThatMayNotBeSentAreNotTold() {
    let error = TapelineError.urlRequestValidationFailed(reason: .invalidHeader(name: "X-Key\r\n"))
    #expect(
      error.description == #"The request may not be sent: the header field "X-Key\r\n" has a character that no field may have."#)
  }
}
