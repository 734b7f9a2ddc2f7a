public import FoundationEssentials
public import TapelineTransport

/// Closures that a user sets on a `SessionDelegate` to take an event over from the request's task delegate: they have priority
/// over built-in behaviour.
///
/// They are called on the session's loop and must not block it. Event monitors are told first. `SessionDelegate` offers each as a
/// member of its own: `session.delegate.dataTaskDidReceiveData = { … }`.
public struct SessionOverrides: Sendable {
  /// The head of the final response; decides what happens to the response.
  public var dataTaskDidReceiveResponse: (@Sendable (SessionTask, HTTPURLResponse) -> ResponseDisposition)?
  /// A piece of a response's body.
  public var dataTaskDidReceiveData: (@Sendable (SessionTask, Data) -> Void)?
  /// The next piece of a request's body is wanted, at most this many bytes.
  public var taskNeedsBodyData: (@Sendable (SessionTask, Int) -> BodyChunk)?
  /// This many more bytes of a request's body were handed to the connection.
  public var taskDidSendBodyData: (@Sendable (SessionTask, Int) -> Void)?
  /// A redirection would be followed to the given request; returns the request to follow instead, or `nil` to take the response
  /// as it is.
  public var taskWillPerformHTTPRedirection: (@Sendable (SessionTask, HTTPURLResponse, URLRequest) -> URLRequest?)?
  /// The measurements of a task.
  public var taskDidFinishCollecting: (@Sendable (SessionTask, TaskMetrics) -> Void)?
  /// A task has completed. The request is told as well, because otherwise nobody would call its handlers.
  public var taskDidComplete: (@Sendable (SessionTask, (any Error)?) -> Void)?
  /// A download is complete in the file at the given URL.
  public var downloadTaskDidFinishDownloadingToURL: (@Sendable (SessionTask, URL) -> Void)?
  /// A piece of a download was written: bytes of the piece, of all pieces, and expected (-1 when unknown).
  public var downloadTaskDidWriteData: (@Sendable (SessionTask, Int64, Int64, Int64) -> Void)?
  /// A download goes on at the given offset; the last argument is the expected size, or -1.
  public var downloadTaskDidResumeAtOffset: (@Sendable (SessionTask, Int64, Int64) -> Void)?

  /// A server asks for a name and a password; decides how to answer.
  public var taskDidReceiveChallenge: (@Sendable (SessionTask, HTTPAuthenticationChallenge) -> ChallengeDisposition)?
  /// A server shows its certificates, in each handshake; decides whether the server is trusted. Set it before the session's first
  /// request is made.
  public var sessionDidReceiveChallenge: (@Sendable (ServerTrust) -> ServerTrustDisposition)?
  /// The session is gone, and its requests have been told; an error says why it could not start. Not called for a session that
  /// was never used.
  public var sessionDidBecomeInvalidWithError: (@Sendable ((any Error)?) -> Void)?

  /// No override is set.
  public init() {}
}
