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
  /// The name that S3 gives to a coding: chunks with a signature each, around all other codings.
  case awsChunked

  /// More codings than anyone applies; each coding costs a pass.
  private static let most = 4

  /// The codings of a body, in the order in which they were applied; `identity` counts as none.
  package static func list(in fields: HeaderFields) throws(DecodingError) -> [ContentCoding] {
    let (codings, problem) = outermost(in: fields)
    if let problem { throw problem }
    return codings
  }

  /// The last codings of a body, as many as can be undone, in the order in which they were applied. `problem` says why not all.
  package static func outermost(in fields: HeaderFields) -> (codings: [ContentCoding], problem: DecodingError?) {
    guard fields.contains(.contentEncoding) else { return ([], nil) }
    var codings: [ContentCoding] = []
    var problem: DecodingError?
    for value in fields.values(of: .contentEncoding) {
      for member in value.split(separator: ",") {
        let name = String(member.trimmingBlanks).lowercased()
        if let coding = coding(named: name) {
          codings.append(coding)
        } else if !meaningless.contains(name) {
          // Nobody knows what is below this coding.
          codings.removeAll()
          problem = .unknownCoding
        }
      }
    }
    // Wherever the field names it, it was applied last.
    let isChunked = codings.contains(.awsChunked)
    codings.removeAll { $0 == .awsChunked }
    if codings.count > most {
      codings.removeFirst(codings.count - most)
      problem = .tooManyCodings
    }
    return (isChunked ? codings + [.awsChunked] : codings, problem)
  }

  private static func coding(named name: String) -> ContentCoding? {
    switch name {
    case "gzip", "x-gzip": .gzip
    case "deflate": .deflate
    case "br": .brotli
    case "zstd": .zstandard
    case "aws-chunked": .awsChunked
    default: nil
    }
  }

  /// Not codings, although servers send them: charsets, codings of mail, and words for no coding.
  private static let meaningless: Set<String> = [
    "", "identity", "none", "null", "no", "off", "false", "plain", "text", "binary", "raw", "default", "utf-8", "utf8",
    "us-ascii",
    "ascii", "iso-8859-1", "7bit", "8bit", "chunked", "amz-1.0",
  ]

  package var name: StaticString {
    switch self {
    case .gzip: "gzip"
    case .deflate: "deflate"
    case .brotli: "br"
    case .zstandard: "zstd"
    case .awsChunked: "aws-chunked"
    }
  }
}

/// Why a body could not be decoded.
package enum DecodingError: Error, Hashable {
  case unknownCoding
  case tooManyCodings
  /// The bytes do not match their coding.
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
  /// The text without SP and HTAB at either end (OWS, RFC 9110 5.6.3).
  fileprivate var trimmingBlanks: Substring {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else { return "" }
    return self[first...last]
  }
}
