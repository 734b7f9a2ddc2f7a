internal import TapelineText

extension UpstreamProxy {
  /// Where a proxy listens when nothing is said of it.
  private static let defaultPort: UInt16 = 80

  /// Reads `http://user:password@host:port`, of which only the host is required; name and password are percent-encoded.
  ///
  /// - Parameter exceptions: see `ProxyExceptions`.
  public init(parsing text: String, exceptions: String = "") throws(UpstreamProxyError) {
    let exceptions = try ProxyExceptions(parsing: exceptions)
    var rest = Substring(text)
    if let separator = text.firstRange(of: "://") {
      let scheme = text[..<separator.lowerBound].lowercased()
      guard scheme == "http" else {
        throw UpstreamProxyError("an upstream proxy is spoken to in clear HTTP (http://host:port), not in \(scheme)")
      }
      rest = text[separator.upperBound...]
    }
    if rest.hasSuffix("/") { rest.removeLast() }
    var credential: Credential?
    if let at = rest.lastIndex(of: "@") {
      credential = try Self.credential(rest[..<at])
      rest = rest[rest.index(after: at)...]
    }
    guard let (host, port) = HostAndPort.parse(rest) else {
      throw UpstreamProxyError("\"\(rest)\" is no host and port of an upstream proxy")
    }
    self.init(host: host, port: port ?? Self.defaultPort, credential: credential, exceptions: exceptions)
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
