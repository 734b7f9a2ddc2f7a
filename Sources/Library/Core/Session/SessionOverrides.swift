public import FoundationEssentials
public import TapelineTransport

/// Closures that a user sets on a `SessionDelegate` to take an event over from the request's task delegate: they have priority
/// over built-in behaviour.
///
/// They get the session first, and are called on its loop, which they must not block. Event monitors are told first. Once the
/// session has been released none is called any more, except the one that is told of that. `SessionDelegate` offers each as a
/// member of its own: `session.delegate.dataTaskDidReceiveData = { session, task, data in … }`.
public struct SessionOverrides: Sendable {
  /// The head of the final response; decides what happens to the response.
  public var dataTaskDidReceiveResponse: (@Sendable (Session, SessionTask, HTTPURLResponse) -> ResponseDisposition)?
  /// A piece of a response's body.
  public var dataTaskDidReceiveData: (@Sendable (Session, SessionTask, Data) -> Void)?
  /// The next piece of a request's body is wanted, at most this many bytes.
  public var taskNeedsBodyData: (@Sendable (Session, SessionTask, Int) -> BodyChunk)?
  /// This many more bytes of a request's body were handed to the connection.
  public var taskDidSendBodyData: (@Sendable (Session, SessionTask, Int) -> Void)?
  /// A redirection would be followed to the given request; returns the request to follow instead, or `nil` to take the response
  /// as it is.
  public var taskWillPerformHTTPRedirection: (@Sendable (Session, SessionTask, HTTPURLResponse, URLRequest) -> URLRequest?)?
  /// The measurements of a task.
  public var taskDidFinishCollecting: (@Sendable (Session, SessionTask, TaskMetrics) -> Void)?
  /// A task has completed. The request is told as well, because otherwise nobody would call its handlers.
  public var taskDidComplete: (@Sendable (Session, SessionTask, (any Error)?) -> Void)?
  /// A download is complete in the file at the given URL.
  public var downloadTaskDidFinishDownloadingToURL: (@Sendable (Session, SessionTask, URL) -> Void)?
  /// A piece of a download was written: bytes of the piece, of all pieces, and expected (-1 when unknown).
  public var downloadTaskDidWriteData: (@Sendable (Session, SessionTask, Int64, Int64, Int64) -> Void)?
  /// A download goes on at the given offset; the last argument is the expected size, or -1.
  public var downloadTaskDidResumeAtOffset: (@Sendable (Session, SessionTask, Int64, Int64) -> Void)?

  /// A server asks for a name and a password; decides how to answer.
  public var taskDidReceiveChallenge: (@Sendable (Session, SessionTask, HTTPAuthenticationChallenge) -> ChallengeDisposition)?
  /// A server shows its certificates, in each handshake; decides whether the server is trusted. Set it before the session's
  /// first request is made.
  public var sessionDidReceiveChallenge: (@Sendable (Session, ServerTrust) -> ServerTrustDisposition)?
  /// The session is gone, and its requests have been told; an error says why it could not start. Not called for a session that
  /// was never used. There is no session that it could get.
  public var sessionDidBecomeInvalidWithError: (@Sendable ((any Error)?) -> Void)?

  /// No override is set.
  public init() {}
}
