internal import TapelineLoop
internal import TapelineSystem
internal import TapelineTime
public import TapelineTransport

/// What all requests of a session share.
public struct SessionConfiguration: Sendable {
  /// The default of a session.
  public static var `default`: SessionConfiguration { SessionConfiguration() }

  /// Added to every request that does not have a field of the same name.
  public var headers = HTTPHeaders.default
  /// Seconds that a TCP connection may take to stand, and as many for TLS.
  public var connectTimeout: TimeInterval = 10
  /// Seconds from the last byte of a request, or the last 1xx, to the end of the next response head. A request with a
  /// `timeoutInterval` has that in place of this.
  public var responseTimeout: TimeInterval = 300
  /// Seconds that a connection may be silent while bytes are owed, unless its request has a `timeoutInterval`; and that one without
  /// work is kept.
  public var idleTimeout: TimeInterval = 60
  /// Connections to one host and port, busy or not. Requests beyond them wait in the order in which they were started; that time does not
  /// count against `responseTimeout`, but against `timeoutIntervalForResource`.
  ///
  /// Requests also wait, rather than fail, while the process has no descriptor for another connection. A session opens no more connections
  /// than nearly half of the process's limit.
  public var httpMaximumConnectionsPerHost = 6
  /// Seconds that a whole task may take, retries not included.
  public var timeoutIntervalForResource: TimeInterval = 604_800
  /// Redirections that one task follows at most.
  public var maximumRedirects = 20
  /// Where requests go instead of going to their hosts.
  public var upstreamProxy: UpstreamProxy?
  /// What is answered to a host that asks who we are.
  public var credentials = CredentialStorage()
  /// The cookies that are kept and sent: by default those of this configuration's sessions, in memory. `nil`: none are. A request that has a
  /// `Cookie` field of its own is sent with that alone.
  public var httpCookieStorage: HTTPCookieStorage? = HTTPCookieStorage()
  /// Where responses go that may be kept; by default none are.
  public var responseCache: (any ResponseCache)?
  /// Whom we trust, and how.
  public var tls = TLSConfiguration()

  /// The defaults; a value of its own.
  public init() {}
}

extension SessionConfiguration {
  /// Standard streams, loops, resolvers, and what else a program has open.
  private static let otherDescriptors = 32

  /// Each may need a second descriptor, for the file that is sent or received.
  private static var mostConnections: Int {
    max(1, ((OpenFileLimit.current ?? .max) - otherDescriptors) / 2)
  }

  /// What the transport is told; trust comes beside.
  var network: NetworkTransport.Configuration {
    var network = NetworkTransport.Configuration()
    network.connectTimeoutNanoseconds = connectTimeout.nanoseconds
    network.responseTimeoutNanoseconds = responseTimeout.nanoseconds
    network.idleTimeoutNanoseconds = idleTimeout.nanoseconds
    network.idleConnections.idleNanoseconds = idleTimeout.nanoseconds
    network.idleConnections.perRoute = max(1, httpMaximumConnectionsPerHost)
    network.places = ConnectionPlaces.Limits(
      perRoute: max(1, httpMaximumConnectionsPerHost), total: Self.mostConnections,
      patience: network.connectTimeoutNanoseconds)
    network.upstreamProxy = upstreamProxy
    return network
  }
}

extension TimeInterval {
  /// Rounded, and kept within what a timer can wait; what is no number of seconds waits not at all.
  var nanoseconds: Int64 {
    guard self > 0 else { return 0 }
    return Int64((min(self, 1e9) * 1e9).rounded())
  }
}
