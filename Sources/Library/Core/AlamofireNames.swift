public import TapelineTransport

// Names that code written for Alamofire uses for things that have another name, or another place, here.

/// Sessions have their settings in a value.
public typealias URLSessionConfiguration = SessionConfiguration
/// A task of a session.
public typealias URLSessionTask = SessionTask
/// The measurements of a task.
public typealias URLSessionTaskMetrics = TaskMetrics
/// A name and a password.
public typealias URLCredential = Credential

/// The types of WebSocket messages, where code expects them.
public enum URLSessionWebSocketTask {
  /// A message: bytes, or text.
  public typealias Message = WebSocketRequest.Message
  /// Why a connection ends.
  public typealias CloseCode = WebSocketRequest.CloseCode
}

extension Session {
  /// Changes a request that was just made, before its parameters are encoded; runs at each attempt.
  public typealias RequestModifier = @Sendable (_ request: inout URLRequest) throws -> Void
}

extension Request {
  /// Gets the progress of a body.
  public typealias ProgressHandler = @Sendable (_ progress: Progress) -> Void
  /// Whether a response is acceptable; `failure` says why not.
  public typealias ValidationResult = Result<Void, any Error>
}

extension RetryPolicy {
  /// The codes of `defaultRetryableFailures`.
  public static var defaultRetryableURLErrorCodes: Set<SessionTaskError.Code> {
    SessionTaskError.Code.codes(of: defaultRetryableFailures)
  }
  /// The codes of `retryableFailures`.
  public var retryableURLErrorCodes: Set<SessionTaskError.Code> { SessionTaskError.Code.codes(of: retryableFailures) }
}

extension SessionConfiguration {
  /// The lowest version in `tls.versions`.
  public var tlsMinimumSupportedProtocolVersion: TLSConfiguration.ProtocolVersion {
    get { tls.versions.lowerBound }
    set { tls.versions = newValue...max(newValue, tls.versions.upperBound) }
  }
}

extension TLSConfiguration.ProtocolVersion {
  /// RFC 5246.
  public static var TLSv12: Self { .tls12 }
  /// RFC 8446.
  public static var TLSv13: Self { .tls13 }
}

extension AuthenticationInterceptor {
  /// How often credentials may be refreshed.
  public typealias RefreshWindow = TapelineCore.RefreshWindow
}

extension TapelineError {
  /// `failedTextEncoding`.
  public var failedStringEncoding: TextEncoding? { failedTextEncoding }
}

extension UploadRequest {
  /// The content of an upload.
  public typealias Uploadable = TapelineCore.Uploadable
}

extension URLEncoding {
  /// How the elements of an array are named.
  public typealias ArrayEncoding = TapelineCore.ArrayEncoding
  /// How a Boolean is written.
  public typealias BoolEncoding = TapelineCore.BoolEncoding
}

extension URLEncodedFormEncoder {
  /// How the elements of an array are named.
  public typealias ArrayEncoding = TapelineCore.ArrayEncoding
  /// How a Boolean is written.
  public typealias BoolEncoding = TapelineCore.BoolEncoding
  /// How a `nil` is written.
  public typealias NilEncoding = TapelineCore.NilEncoding
  /// How a space is written.
  public typealias SpaceEncoding = TapelineCore.SpaceEncoding
}
