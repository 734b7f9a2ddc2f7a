package import TapelineHTTP

/// A content coding that can be undone (RFC 9110, 8.4.1).
package enum ContentCoding: Hashable, Sendable {
  /// RFC 1952; `x-gzip` is the same.
  case gzip
  /// The zlib format of RFC 1950, or what some servers send instead: bare RFC 1951.
  case deflate
  /// RFC 7932.
  case brotli
  /// RFC 8878.
  case zstandard

  /// More codings than anyone applies; each of them costs a pass.
  private static let most = 4

  /// What was done to a body, in the order in which it was done; `identity` is nothing.
  package static func list(in fields: HeaderFields) throws(DecodingError) -> [ContentCoding] {
    guard fields.contains(.contentEncoding) else { return [] }
    var codings: [ContentCoding] = []
    for value in fields.values(of: .contentEncoding) {
      for member in value.split(separator: ",") { try append(member, to: &codings) }
    }
    guard codings.count <= most else { throw .tooManyCodings }
    return codings
  }

  private static func append(_ member: Substring, to codings: inout [ContentCoding]) throws(DecodingError) {
    switch String(member.trimmingBlanks).lowercased() {
    case "gzip", "x-gzip": codings.append(.gzip)
    case "deflate": codings.append(.deflate)
    case "br": codings.append(.brotli)
    case "zstd": codings.append(.zstandard)
    case "", "identity": break
    default: throw .unknownCoding
    }
  }

  package var name: StaticString {
    switch self {
    case .gzip: "gzip"
    case .deflate: "deflate"
    case .brotli: "br"
    case .zstandard: "zstd"
    }
  }
}

/// Why a body could not be decoded.
package enum DecodingError: Error, Hashable {
  case unknownCoding
  case tooManyCodings
  /// The octets are not what their coding says.
  case wrongData(ContentCoding, reason: String)

  /// For people, and for `_decodeError`.
  package var text: String {
    switch self {
    case .unknownCoding: "an unknown content coding"
    case .tooManyCodings: "too many content codings"
    case .wrongData(let coding, let reason): "\(coding.name): \(reason)"
    }
  }
}

extension Substring {
  /// Without SP and HTAB at either end (OWS, RFC 9110 5.6.3).
  fileprivate var trimmingBlanks: Substring {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else { return "" }
    return self[first...last]
  }
}
