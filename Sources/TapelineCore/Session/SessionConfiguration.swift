public import FoundationEssentials
internal import TapelineLoop
internal import TapelineSystem
internal import TapelineTime
public import TapelineTransport

/// The settings that all requests of a session share.
public struct SessionConfiguration: Sendable {
  /// The default configuration of a session.
  public static var `default`: SessionConfiguration { SessionConfiguration() }

  /// Added to every request that does not have a field of the same name.
  public var headers = HTTPHeaders.default
  /// Seconds that opening a TCP connection may take; TLS may take as many.
  public var connectTimeout: TimeInterval = 10
  /// Seconds from the last byte of a request, or the last 1xx, to the end of the next response head. A request with a
  /// `timeoutInterval` uses that in place of this.
  public var responseTimeout: TimeInterval = 300
  /// Seconds that a connection may be silent while bytes are due, unless its request has a `timeoutInterval`; also the seconds
  /// that an idle connection is kept.
  public var idleTimeout: TimeInterval = 60
  /// Connections to one host and port, busy or not. Requests beyond them wait in the order in which they were started; that time
  /// does not count against `responseTimeout`, but against `timeoutIntervalForResource`.
  ///
  /// Requests also wait, rather than fail, while the process has no descriptor for another connection. A session opens no more
  /// connections than nearly half of the process's limit.
  public var httpMaximumConnectionsPerHost = 6
  /// Whether servers are spoken to in HTTP/2 if they choose it in the TLS handshake. Then all requests to one host and port share
  /// one connection, each on a stream of its own. A server that does not choose it, and any server without TLS, is spoken to in
  /// HTTP/1.1.
  public var allowsHTTP2 = true
  /// Seconds that a whole task may take, retries not included.
  public var timeoutIntervalForResource: TimeInterval = 604_800
  /// The most redirections that one task follows.
  public var maximumRedirects = 20
  /// The proxy that requests go to instead of going to their hosts.
  public var upstreamProxy: UpstreamProxy?
  /// The credentials for hosts that ask for them.
  public var credentials = CredentialStorage()
  /// The cookies that are kept and sent: by default those of this configuration's sessions, in memory. `nil`: no cookies. A
  /// request that has a `Cookie` field of its own is sent with that field only.
  public var httpCookieStorage: HTTPCookieStorage? = HTTPCookieStorage()
  /// The store for responses that may be kept; by default no response is kept.
  public var responseCache: (any ResponseCache)?
  /// The settings for TLS and trust.
  public var tls = TLSConfiguration()

  /// The defaults; a value of its own.
  public init() {}
}

extension SessionConfiguration {
  /// Standard streams, loops, resolvers, and anything else that a program has open.
  private static let otherDescriptors = 32

  /// Each connection may need a second descriptor, for the file that is sent or received.
  private static var mostConnections: Int {
    max(1, ((OpenFileLimit.current ?? .max) - otherDescriptors) / 2)
  }

  /// The transport's configuration; trust is set separately.
  var network: NetworkTransport.Configuration {
    var network = NetworkTransport.Configuration()
    network.connectTimeout = connectTimeout.duration
    network.responseTimeout = responseTimeout.duration
    network.idleTimeout = idleTimeout.duration
    network.idleConnections.idleTime = idleTimeout.duration
    network.idleConnections.perRoute = max(1, httpMaximumConnectionsPerHost)
    network.places = ConnectionPlaces.Limits(
      perRoute: max(1, httpMaximumConnectionsPerHost), total: Self.mostConnections,
      patience: network.connectTimeout)
    network.speaksHTTP2 = allowsHTTP2
    network.upstreamProxy = upstreamProxy
    return network
  }
}

extension TimeInterval {
  /// Rounded to nanoseconds, and limited to what a timer can wait; zero for negative values and NaN.
  var duration: Duration {
    guard self > 0 else { return .zero }
    return .nanoseconds(Int64((min(self, 1e9) * 1e9).rounded()))
  }
}

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
