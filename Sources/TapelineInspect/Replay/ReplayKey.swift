internal import TapelineText

/// The key by which a request finds its recorded answer: the method and the normalised URL.
package struct ReplayKey: Sendable, Hashable, CustomStringConvertible {
  /// The parts of a URL that do not count.
  package struct Folding: Sendable, Hashable {
    /// Query parameters, by their names as spelled.
    package var ignoredParameters: Set<String> = []
    package var ignoresQuery = false

    package init() {}
  }

  private let text: String

  /// `nil` when `url` is not an absolute URL.
  package init?(method: String, url: String, folding: Folding) {
    let url = Self.encoded(url)
    guard let parts = RequestURL(url) else { return nil }
    let port = parts.port.map { ":\($0)" } ?? ""
    text = "\(method) \(parts.scheme)://\(parts.host)\(port)\(parts.path)\(Self.query(of: url, folding))"
  }

  package var description: String { text }

  /// With the question mark; empty when no parameter is left.
  private static func query(of url: String, _ folding: Folding) -> String {
    guard !folding.ignoresQuery else { return "" }
    guard let query = URIRanges(url).query else { return "" }
    let pairs = url[utf8: query].split(separator: "&").filter { pair in
      !folding.ignoredParameters.contains(String(pair.prefix { $0 != "=" }))
    }
    return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
  }

  /// Percent-encodes every byte that a URI must not hold, as the log does (RFC 3986 2), with escapes in capitals.
  private static func encoded(_ url: String) -> String {
    guard !url.utf8.allSatisfy(ByteSet.uri.contains) else { return url }
    var bytes: [UInt8] = []
    var escape = 0
    for byte in url.utf8 {
      if escape > 0 {
        escape -= 1
        bytes.append((UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte) ? byte - 32 : byte)
      } else if byte == Byte.percent {
        escape = 2
        bytes.append(byte)
      } else if ByteSet.uri.contains(byte) {
        bytes.append(byte)
      } else {
        PercentEncoding.append(encoded: byte, to: &bytes)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
