internal import TapelineBase

/// Reads a request target (RFC 9112 3.2). Its form must be one that the method allows; nothing is repaired.
enum RequestTargetParser {
  /// `range` holds at least one byte, no blank and no control. An absolute target keeps `bytes`.
  ///
  /// Accepts bytes in path and query that a URI should percent-encode, because every client sends some.
  static func parse(_ bytes: [UInt8], _ range: Range<Int>, method: HTTPMethod) throws(HTTPParseError) -> RequestTarget {
    if method == .connect { return try authority(bytes, range) }
    switch bytes[range.lowerBound] {
    case Byte.slash:
      return .origin
    case UInt8(ascii: "*") where range.count == 1 && method == .options:
      return .asterisk
    default:
      return .absolute(try absolute(bytes, range))
    }
  }

  /// RFC 9112 3.2.3: host and port, both required, no userinfo.
  private static func authority(_ bytes: [UInt8], _ range: Range<Int>) throws(HTTPParseError) -> RequestTarget {
    guard let authority = AuthorityParts(in: bytes.span, range), !authority.hasUserinfo, !authority.host.isEmpty,
      let port = authority.port
    else { throw HTTPParseError(.invalidTarget, in: .request) }
    return .authority(host: String(bytes: bytes.span.extracting(authority.host)), port: port)
  }

  /// RFC 9112 3.2.2: `scheme://authority`, then path and query. A fragment is not part of a target and is dropped.
  private static func absolute(_ bytes: [UInt8], _ range: Range<Int>) throws(HTTPParseError) -> AbsoluteTarget {
    guard let (scheme, authorityStart) = scheme(bytes.span, range) else { throw HTTPParseError(.invalidTarget, in: .request) }
    var authorityEnd = authorityStart
    while authorityEnd < range.upperBound, !endsAuthority(bytes[authorityEnd]) { authorityEnd += 1 }
    guard let authority = AuthorityParts(in: bytes.span, authorityStart..<authorityEnd), !authority.host.isEmpty else {
      throw HTTPParseError(.invalidTarget, in: .request)
    }
    var pathEnd = authorityEnd
    while pathEnd < range.upperBound, bytes[pathEnd] != UInt8(ascii: "#") { pathEnd += 1 }
    return AbsoluteTarget(
      scheme: scheme, host: String(bytes: bytes.span.extracting(authority.host)),
      port: authority.port ?? scheme.defaultPort ?? 0, hasUserinfo: authority.hasUserinfo, bytes: bytes,
      authority: authority.hostAndPort, path: authorityEnd..<pathEnd)
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == Byte.slash || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  /// The scheme, and the index after `://` where the authority begins.
  private static func scheme(_ bytes: Span<UInt8>, _ range: Range<Int>) -> (URIScheme, Int)? {
    var end = range.lowerBound
    while end < range.upperBound, ByteSet.scheme.contains(bytes[end]) { end += 1 }
    let separator: [3 of UInt8] = [Byte.colon, Byte.slash, Byte.slash]
    guard end > range.lowerBound, Byte.isLetter(bytes[range.lowerBound]), end + 3 <= range.upperBound,
      separator.indices.allSatisfy({ bytes[end + $0] == separator[$0] })
    else { return nil }
    let name = bytes.extracting(range.lowerBound..<end)
    // RFC 6455 3: `ws` is HTTP with its default port. Clients that find a proxy in `WS_PROXY` use this name.
    if name.equalsIgnoringCase("http".utf8.span) || name.equalsIgnoringCase("ws".utf8.span) { return (.http, end + 3) }
    if name.equalsIgnoringCase("wss".utf8.span) { return (.https, end + 3) }
    return (URIScheme(String(bytes: name)), end + 3)
  }
}
