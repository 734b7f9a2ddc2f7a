internal import TapelineBase

/// A proxy through which origins are reached. An HTTP proxy forwards what is in clear, and opens tunnels for everything else; a
/// SOCKS proxy only opens tunnels.
public struct UpstreamProxy: Hashable, Sendable {
  /// A protocol for the connection to the proxy.
  public enum Scheme: String, Hashable, Sendable {
    /// RFC 9110 3.7.
    case http
    /// RFC 1928. The proxy gets names, and looks them up.
    case socks5

    var defaultPort: UInt16 {
      switch self {
      case .http: 80
      case .socks5: 1080
      }
    }
  }

  /// The protocol that it speaks with us.
  public let scheme: Scheme
  /// A name or an address, lower-cased and without brackets.
  public let host: String
  /// The port on which it listens.
  public let port: UInt16
  /// The credential for a proxy that asks for one.
  public let credential: Credential?
  /// The origins that are reached directly.
  public let exceptions: ProxyExceptions

  /// A proxy at this host and port.
  public init(
    scheme: Scheme = .http, host: String, port: UInt16, credential: Credential? = nil, exceptions: ProxyExceptions = .none
  ) {
    self.scheme = scheme
    self.host = host.lowercased()
    self.port = port
    self.credential = credential
    self.exceptions = exceptions
  }

  /// `host:port`, without credentials.
  package var authority: String {
    Authority.text(host: host, port: port)
  }
}

extension UpstreamProxy: CustomStringConvertible {
  /// Its URL, without credentials.
  public var description: String { "\(scheme.rawValue)://\(authority)" }
}

extension UpstreamProxy {
  /// Reads `http://user:password@host:port`, of which only the host is required; name and password are percent-encoded. The
  /// scheme can be `socks5` or `socks5h`, too, which mean the same here.
  ///
  /// - Parameter exceptions: see `ProxyExceptions`.
  public init(parsing text: String, exceptions: String = "") throws(UpstreamProxyError) {
    let exceptions = try ProxyExceptions(parsing: exceptions)
    let reference = URIReference(text.contains("://") ? text : "//\(text)")
    let scheme = try reference.scheme.map { (name) throws(UpstreamProxyError) in try Self.scheme(name) } ?? .http
    let credential = try reference.userinfo.map { (userinfo) throws(UpstreamProxyError) in try Self.credential(userinfo[...]) }
    guard reference.path.isEmpty || reference.path == "/", reference.query == nil, reference.fragment == nil,
      let place = HostAndPort(reference.hostAndPort ?? "")
    else {
      throw UpstreamProxyError("\"\(Self.withoutCredential(text))\" is not a host and port of an upstream proxy")
    }
    self.init(
      scheme: scheme, host: place.host, port: place.port ?? scheme.defaultPort, credential: credential, exceptions: exceptions)
  }

  private static func scheme(_ name: String) throws(UpstreamProxyError) -> Scheme {
    switch name {
    case "http": return .http
    case "socks5", "socks5h": return .socks5
    case let other:
      throw UpstreamProxyError(
        "tapeline speaks plain HTTP or SOCKS5 to an upstream proxy (http://host:port, socks5://host:port), not \(other)")
    }
  }

  /// The part that may be shown of a text that does not name a proxy.
  private static func withoutCredential(_ text: String) -> Substring {
    if let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) { return text[text.utf8.index(after: at)...] }
    return text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
  }

  private static func credential(_ userinfo: Substring) throws(UpstreamProxyError) -> Credential {
    let parts = userinfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let user = PercentEncoding.decodeStrictly(parts[0]),
      let password = PercentEncoding.decodeStrictly(parts.count > 1 ? parts[1] : "")
    else {
      throw UpstreamProxyError("the user's name or password of the upstream proxy is not percent-encoded as it should be")
    }
    return Credential(user: user, password: password)
  }
}

/// Why a text does not name an upstream proxy.
public struct UpstreamProxyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A sentence for people. It never holds the password.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
