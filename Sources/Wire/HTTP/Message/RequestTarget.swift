internal import TapelineBase

/// The four forms of a request target (RFC 9112 3.2).
package enum RequestTarget: Sendable {
  /// `/where?q=now`: a request to the proxy itself, or inside a tunnel it opened.
  case origin
  /// `http://example.com/where?q=now`: a request to be forwarded.
  case absolute(AbsoluteTarget)
  /// `example.com:443`, for CONNECT only. The host has no brackets and is spelled as it came.
  case authority(host: String, port: UInt16)
  /// `*`, for OPTIONS only.
  case asterisk
}

/// The parts of an absolute-form target. Everything but the host is a range in the head's bytes.
package struct AbsoluteTarget: Sendable {
  package let scheme: URIScheme
  /// As spelled; an IPv6 literal without its brackets.
  package let host: String
  /// The scheme's default if the target names no port, or 0 if the scheme is also unknown.
  package let port: UInt16
  /// Whether there were credentials before the host. They are dropped, and shown nowhere.
  package let hasUserinfo: Bool
  /// The head's bytes, shared with it.
  let bytes: [UInt8]
  private let authorityBytes: ByteRange
  private let pathBytes: ByteRange

  init(
    scheme: URIScheme, host: String, port: UInt16, hasUserinfo: Bool, bytes: [UInt8], authority: Range<Int>, path: Range<Int>
  ) {
    self.scheme = scheme
    self.host = host
    self.port = port
    self.hasUserinfo = hasUserinfo
    self.bytes = bytes
    authorityBytes = ByteRange(authority)
    pathBytes = ByteRange(path)
  }

  var authorityRange: Range<Int> { authorityBytes.range }

  /// From the first slash or question mark, without the fragment. Empty when the target ends with the authority.
  var pathRange: Range<Int> { pathBytes.range }

  /// Whether there is a slash after the authority.
  package var hasPath: Bool { !pathRange.isEmpty && bytes[pathRange.lowerBound] == Byte.slash }

  /// Host and port as spelled, without userinfo: the value of `Host` upstream (RFC 9112 3.2.2).
  package var authority: String { String(bytes: bytes.span.extracting(authorityRange)) }

  /// The target as a URI without userinfo and fragment: for people and logs.
  package var sanitizedText: String {
    var text: [UInt8] = []
    appendSanitized(into: &text)
    return String(bytes: text.span)
  }

  /// Appends the same, byte by byte as it came: converting to text would make two bytes of a byte that is not UTF-8.
  package func appendSanitized(into output: inout [UInt8]) {
    output.reserveRoom(for: scheme.text.utf8.count + 4 + authorityRange.count + pathRange.count)
    output.append(contentsOf: scheme.text.utf8)
    output.append(contentsOf: "://".utf8)
    output.append(authorityRange, of: bytes)
    output.append(pathRange, of: bytes)
  }

  /// Appends the target for the origin (RFC 9112 3.2.1, and 3.2.4 for OPTIONS): the bytes as they came.
  package func appendOriginForm(method: HTTPMethod, into output: inout [UInt8]) {
    let path = pathRange
    if path.isEmpty {
      output.append(method == .options ? UInt8(ascii: "*") : Byte.slash)
      return
    }
    if bytes[path.lowerBound] != Byte.slash { output.append(Byte.slash) }
    output.append(path, of: bytes)
  }
}

/// The scheme of a target, compared without case.
package enum URIScheme: Hashable, Sendable {
  case http
  case https
  case other(String)

  package init(_ text: String) {
    switch text.lowercased() {
    case "http": self = .http
    case "https": self = .https
    case let other: self = .other(other)
    }
  }

  package var text: String {
    switch self {
    case .http: "http"
    case .https: "https"
    case .other(let text): text
    }
  }

  package var defaultPort: UInt16? {
    switch self {
    case .http: 80
    case .https: 443
    case .other: nil
    }
  }
}
