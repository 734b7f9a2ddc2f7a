public import FoundationEssentials
public import TapelineTransport

/// Closures that a user sets on a `SessionDelegate` to take an event over from the request's task delegate: what the user says has
/// priority over built-in behaviour.
///
/// They are called on the session's loop and must not block it. Event monitors have been told before. `SessionDelegate` offers each
/// as a member of its own: `session.delegate.dataTaskDidReceiveData = { … }`.
public struct SessionOverrides: Sendable {
  /// The head of the final response; decides what becomes of it.
  public var dataTaskDidReceiveResponse: (@Sendable (SessionTask, HTTPURLResponse) -> ResponseDisposition)?
  /// A piece of a response's body.
  public var dataTaskDidReceiveData: (@Sendable (SessionTask, Data) -> Void)?
  /// The next piece of a request's body is wanted, at most so many bytes.
  public var taskNeedsBodyData: (@Sendable (SessionTask, Int) -> BodyChunk)?
  /// So many more bytes of a request's body were handed to the connection.
  public var taskDidSendBodyData: (@Sendable (SessionTask, Int) -> Void)?
  /// A redirection would be followed to the given request; returns what is followed instead, or `nil` to take the response as it is.
  public var taskWillPerformHTTPRedirection: (@Sendable (SessionTask, HTTPURLResponse, URLRequest) -> URLRequest?)?
  /// What was measured of a task.
  public var taskDidFinishCollecting: (@Sendable (SessionTask, TaskMetrics) -> Void)?
  /// A task has completed. The request is told all the same, else nobody would call its handlers.
  public var taskDidComplete: (@Sendable (SessionTask, (any Error)?) -> Void)?
  /// A download is complete in the file at the given URL.
  public var downloadTaskDidFinishDownloadingToURL: (@Sendable (SessionTask, URL) -> Void)?
  /// A piece of a download was written: bytes of the piece, of all pieces, and expected (-1 when unknown).
  public var downloadTaskDidWriteData: (@Sendable (SessionTask, Int64, Int64, Int64) -> Void)?
  /// A download goes on at the given offset; the last argument is the expected size, or -1.
  public var downloadTaskDidResumeAtOffset: (@Sendable (SessionTask, Int64, Int64) -> Void)?

  /// A server asks for a name and a password; decides what is done about it.
  public var taskDidReceiveChallenge: (@Sendable (SessionTask, HTTPAuthenticationChallenge) -> ChallengeDisposition)?
  /// A server shows who it is, in each handshake; decides whether that is believed. Set it before the session's first request is made.
  public var sessionDidReceiveChallenge: (@Sendable (ServerTrust) -> ServerTrustDisposition)?
  /// The session is gone, and its requests have been told; an error says why it could not even begin. Not called for a session that was
  /// never used.
  public var sessionDidBecomeInvalidWithError: (@Sendable ((any Error)?) -> Void)?

  /// None is set.
  public init() {}
}
