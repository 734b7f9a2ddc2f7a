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

/// What absolute-form names. Everything but the host is ranges into the head's octets.
package struct AbsoluteTarget: Sendable {
  package let scheme: URIScheme
  /// As spelled; an IPv6 literal without its brackets.
  package let host: String
  /// The scheme's default where the target names none; 0 when a scheme we do not know has none named.
  package let port: UInt16
  /// Whether credentials stood before the host. They are dropped, and shown nowhere.
  package let hasUserinfo: Bool
  /// The head's octets, shared with it.
  let octets: [UInt8]
  private let authorityOctets: OctetRange
  private let pathOctets: OctetRange

  init(
    scheme: URIScheme, host: String, port: UInt16, hasUserinfo: Bool, octets: [UInt8], authority: Range<Int>, path: Range<Int>
  ) {
    self.scheme = scheme
    self.host = host
    self.port = port
    self.hasUserinfo = hasUserinfo
    self.octets = octets
    authorityOctets = OctetRange(authority)
    pathOctets = OctetRange(path)
  }

  var authorityRange: Range<Int> { authorityOctets.range }

  /// From the first slash or question mark, without the fragment. Empty when the target ends with the authority.
  var pathRange: Range<Int> { pathOctets.range }

  /// Host and port as spelled, without userinfo: what `Host` says upstream (RFC 9112 3.2.2).
  package var authority: String { String(octets: octets.span.extracting(authorityRange)) }

  /// The target as a URI without userinfo and fragment: for people and logs.
  package var sanitizedText: String {
    var text: [UInt8] = []
    appendSanitized(into: &text)
    return String(octets: text.span)
  }

  /// Appends the same, octet by octet as it came: text would make two of an octet that is no UTF-8.
  package func appendSanitized(into output: inout [UInt8]) {
    output.append(contentsOf: scheme.text.utf8)
    output.append(contentsOf: "://".utf8)
    output.append(authorityRange, of: octets)
    output.append(pathRange, of: octets)
  }

  /// Appends what goes to the origin (RFC 9112 3.2.1, and 3.2.4 for OPTIONS): the octets as they came.
  package func appendOriginForm(method: HTTPMethod, into output: inout [UInt8]) {
    let path = pathRange
    if path.isEmpty {
      output.append(method == .options ? UInt8(ascii: "*") : Octet.slash)
      return
    }
    if octets[path.lowerBound] != Octet.slash { output.append(Octet.slash) }
    output.append(path, of: octets)
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
