internal import TapelineText

/// The field names that the proxy looks at, classified once per line while parsing.
///
/// The raw value is the bit in `FieldNameSet`: at most 64 cases.
package enum FieldName: UInt8, CaseIterable, Hashable, Sendable {
  // Framing and routing.
  case contentLength
  case transferEncoding
  case host
  case expect
  case maxForwards
  // For one connection only (RFC 9110 7.6.1) and for the proxy.
  case connection
  case keepAlive
  case proxyConnection
  case proxyAuthenticate
  case proxyAuthorization
  case te
  case trailer
  case upgrade
  // Added by the proxy.
  case via
  case date
  case proxyStatus
  // Shown, recorded and redacted.
  case accept
  case acceptEncoding
  case authorization
  case cacheControl
  case contentEncoding
  case contentType
  case cookie
  case location
  case origin
  case referer
  case retryAfter
  case server
  case setCookie
  case userAgent
  case wwwAuthenticate
  case secWebSocketKey
  case secWebSocketAccept
  /// Any other name: compare the bytes.
  case other

  /// As registered; empty for `other`.
  package var spelling: String {
    switch self {
    case .contentLength: "Content-Length"
    case .transferEncoding: "Transfer-Encoding"
    case .host: "Host"
    case .expect: "Expect"
    case .maxForwards: "Max-Forwards"
    case .connection: "Connection"
    case .keepAlive: "Keep-Alive"
    case .proxyConnection: "Proxy-Connection"
    case .proxyAuthenticate: "Proxy-Authenticate"
    case .proxyAuthorization: "Proxy-Authorization"
    case .te: "TE"
    case .trailer: "Trailer"
    case .upgrade: "Upgrade"
    case .via: "Via"
    case .date: "Date"
    case .proxyStatus: "Proxy-Status"
    case .accept: "Accept"
    case .acceptEncoding: "Accept-Encoding"
    case .authorization: "Authorization"
    case .cacheControl: "Cache-Control"
    case .contentEncoding: "Content-Encoding"
    case .contentType: "Content-Type"
    case .cookie: "Cookie"
    case .location: "Location"
    case .origin: "Origin"
    case .referer: "Referer"
    case .retryAfter: "Retry-After"
    case .server: "Server"
    case .setCookie: "Set-Cookie"
    case .userAgent: "User-Agent"
    case .wwwAuthenticate: "WWW-Authenticate"
    case .secWebSocketKey: "Sec-WebSocket-Key"
    case .secWebSocketAccept: "Sec-WebSocket-Accept"
    case .other: ""
    }
  }

  /// Finds the name with this spelling, in any case.
  package init(spelling: String) {
    let isToken = spelling.utf8.allSatisfy(ByteSet.token.contains)
    self = isToken ? FieldName(token: spelling.utf8.span) : .other
  }

  /// Classifies a name that has been checked to be a token.
  init(token: Span<UInt8>) {
    self = FieldNameIndex.shared.name(of: token)
  }
}

/// A set of known names in one word.
struct FieldNameSet: Hashable, Sendable {
  private var bits: UInt64 = 0

  init(_ names: FieldName...) {
    for name in names { insert(name) }
  }

  mutating func insert(_ name: FieldName) {
    bits |= 1 &<< UInt64(name.rawValue)
  }

  func contains(_ name: FieldName) -> Bool {
    bits & (1 &<< UInt64(name.rawValue)) != 0
  }
}
