internal import TapelineBase

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
  case altSvc
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
    case .altSvc: "Alt-Svc"
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

extension FieldName {
  /// Whether a name that is not known is `Content-Length` or `Transfer-Encoding` to a reader for which `_` is `-`, as in CGI.
  package static func isTakenForFraming(_ name: Span<UInt8>) -> Bool {
    guard name.count == 14 || name.count == 17 else { return false }
    let hyphenated = name.indices.map { name[$0] == UInt8(ascii: "_") ? UInt8(ascii: "-") : name[$0] }
    let known = FieldName(token: hyphenated.span)
    return known == .contentLength || known == .transferEncoding
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

/// Finds a `FieldName` by length and folded bytes: a handful of word comparisons per line, no string.
struct FieldNameIndex: Sendable {
  static let shared = FieldNameIndex()

  /// Names of all lengths, shortest first.
  private let entries: [(key: Key, name: FieldName)]
  /// By length: where its names begin in `entries`. One element longer than needed, so that the next element is always the end.
  private let starts: [UInt8]

  private static let longest = 24

  private init() {
    let known = FieldName.allCases.filter { $0 != .other }.sorted { $0.spelling.utf8.count < $1.spelling.utf8.count }
    entries = known.map { (Key($0.spelling.utf8.span), $0) }
    starts = (0...Self.longest + 1).map { length in
      UInt8(known.count { $0.spelling.utf8.count < length })
    }
  }

  func name(of token: Span<UInt8>) -> FieldName {
    guard token.count <= Self.longest else { return .other }
    let (start, end) = (Int(starts[token.count]), Int(starts[token.count + 1]))
    guard start < end else { return .other }
    let key = Key(token)
    for index in start..<end where entries[index].key == key {
      return entries[index].name
    }
    return .other
  }

  /// All bytes of a name of at most 24 bytes, with bit 5 set in each.
  ///
  /// Setting the bit folds letters. Among bytes of a token it confuses nothing else that our names contain: `^` and `_` become
  /// `~` and DEL, digits and `-` stay. The other byte that maps to `-` (CR) is not in a token and was refused before.
  private struct Key: Equatable {
    private let first: UInt64
    private let last: UInt64
    private let middle: UInt64

    private static let fold: UInt64 = 0x2020_2020_2020_2020

    init(_ bytes: Span<UInt8>) {
      guard bytes.count >= 8 else {
        var word: UInt64 = 0
        for index in bytes.indices { word = word << 8 | UInt64(bytes[index]) }
        first = word | Self.fold
        last = 0
        middle = 0
        return
      }
      first = bytes.word(at: 0) | Self.fold
      last = bytes.word(at: bytes.count - 8) | Self.fold
      middle = bytes.count > 16 ? bytes.word(at: 8) | Self.fold : 0
    }
  }
}
