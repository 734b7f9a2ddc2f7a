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
