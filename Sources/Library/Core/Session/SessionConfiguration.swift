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
  /// Connections to one host and port, busy or not. Requests beyond them wait in the order in which they were started; that
  /// time does not count against `responseTimeout`, but against `timeoutIntervalForResource`.
  ///
  /// Requests also wait, rather than fail, while the process has no descriptor for another connection. A session opens no more
  /// connections than nearly half of the process's limit.
  public var httpMaximumConnectionsPerHost = 6
  /// Whether servers are spoken to in HTTP/2 if they choose it in the TLS handshake. Then all requests to one host and port
  /// share one connection, each on a stream of its own. A server that does not choose it, and any server without TLS, is
  /// spoken to in HTTP/1.1.
  public var allowsHTTP2 = true
  /// Seconds that a whole task may take, retries not included.
  public var timeoutIntervalForResource: TimeInterval = 604_800
  /// The most redirections that one task follows.
  public var maximumRedirects = 20
  /// The proxy that requests go to instead of going to their hosts; by default none, whatever the environment's variables say
  /// (see `proxyFromEnvironment(_:)`).
  public var upstreamProxy: UpstreamProxy?
  /// The credentials for hosts that ask for them.
  public var credentials = CredentialStorage()
  /// The cookies that are kept and sent: by default those of this configuration's sessions, in memory. `nil`: no cookies. A
  /// request that has a `Cookie` field of its own is sent with that field only.
  public var httpCookieStorage: HTTPCookieStorage? = HTTPCookieStorage()
  /// Whether cookies are sent and kept at all; without them `httpCookieStorage` is left alone.
  public var httpShouldSetCookies = true
  /// How requests without a policy of their own may use a cache. The library asks no cache: the policy is for an interceptor
  /// that does.
  public var requestCachePolicy = URLRequest.CachePolicy.useProtocolCachePolicy
  /// The store for responses that may be kept; by default no response is kept.
  public var responseCache: (any ResponseCache)?
  /// Writes every exchange of the sessions with this configuration into a log (product `TapelineRecorder`); by default nothing is
  /// recorded, and recording costs nothing.
  public var recorder: SessionRecorder?
  /// The settings for TLS and trust.
  public var tls = TLSConfiguration()

  /// The defaults; a value of its own.
  public init() {}
}

/// Settings under the names that they have in `URLSessionConfiguration`.
extension SessionConfiguration {
  /// A configuration like the default one. A session keeps nothing on disk in any case, and its cookies in memory.
  public static var ephemeral: SessionConfiguration { SessionConfiguration() }

  /// Seconds without any progress after which a request fails: sets `responseTimeout` and `idleTimeout`.
  public var timeoutIntervalForRequest: TimeInterval {
    get { responseTimeout }
    set {
      responseTimeout = newValue
      idleTimeout = newValue
    }
  }

  /// `headers` by name; setting it replaces them all.
  public var httpAdditionalHeaders: [String: String]? {
    get { headers.dictionary }
    set { headers = HTTPHeaders(newValue ?? [:]) }
  }

  /// `responseCache`.
  public var urlCache: (any ResponseCache)? {
    get { responseCache }
    set { responseCache = newValue }
  }

  /// `credentials`; `nil` stands for none.
  public var urlCredentialStorage: CredentialStorage? {
    get { credentials }
    set { credentials = newValue ?? CredentialStorage() }
  }

  /// This value: for code that has Alamofire's `URLSessionConfiguration.af.default`.
  public static var af: SessionConfiguration.Type { SessionConfiguration.self }

  /// The store of the cookies that are sent and kept; `nil` if there are none.
  var cookies: HTTPCookieStorage? { httpShouldSetCookies ? httpCookieStorage : nil }
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
