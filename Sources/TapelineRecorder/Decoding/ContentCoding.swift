internal import TapelineHTTP

/// A content coding that can be undone (RFC 9110, 8.4.1).
enum ContentCoding: Hashable {
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
  static func list(in fields: HeaderFields) throws(DecodingError) -> [ContentCoding] {
    guard let first = fields.firstIndex(of: .contentEncoding) else { return [] }
    var codings: [ContentCoding] = []
    let octets = fields.octets
    for index in first..<fields.count where fields.knownName(at: index) == .contentEncoding {
      try append(octets.span.extracting(fields.valueRange(at: index)), to: &codings)
    }
    guard codings.count <= most else { throw .tooManyCodings }
    return codings
  }

  /// Appends the codings of one line.
  private static func append(_ value: Span<UInt8>, to codings: inout [ContentCoding]) throws(DecodingError) {
    var start = 0
    while start < value.count {
      let end = value.first(of: UInt8(ascii: ","), from: start) ?? value.count
      let name = value.trimmedBlanks(start..<end)
      if value.equals("gzip", in: name) || value.equals("x-gzip", in: name) {
        codings.append(.gzip)
      } else if value.equals("deflate", in: name) {
        codings.append(.deflate)
      } else if value.equals("br", in: name) {
        codings.append(.brotli)
      } else if value.equals("zstd", in: name) {
        codings.append(.zstandard)
      } else if !name.isEmpty, !value.equals("identity", in: name) {
        throw .unknownCoding
      }
      start = end + 1
    }
  }

  var name: StaticString {
    switch self {
    case .gzip: "gzip"
    case .deflate: "deflate"
    case .brotli: "br"
    case .zstandard: "zstd"
    }
  }
}

/// Why a body could not be decoded.
enum DecodingError: Error, Hashable {
  case unknownCoding
  case tooManyCodings
  /// The octets are not what their coding says.
  case wrongData(ContentCoding, reason: String)

  /// For `_decodeError`.
  var text: String {
    switch self {
    case .unknownCoding: "an unknown content coding"
    case .tooManyCodings: "too many content codings"
    case .wrongData(let coding, let reason): "\(coding.name): \(reason)"
    }
  }
}
