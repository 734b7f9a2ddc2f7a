/// By what a request finds its recorded answer: the method and the URL, in one spelling.
package struct ReplayKey: Sendable, Hashable, CustomStringConvertible {
  /// What of a URL does not count.
  package struct Folding: Sendable, Hashable {
    /// Query parameters, by their names as spelled.
    package var ignoredParameters: Set<String> = []
    package var ignoresQuery = false

    package init() {}
  }

  private let text: String

  /// `nil` when `url` is no absolute URL.
  package init?(method: String, url: String, folding: Folding) {
    let url = Self.encoded(url)
    guard let parts = RequestURL(url) else { return nil }
    let port = parts.port.map { ":\($0)" } ?? ""
    text = "\(method) \(parts.scheme)://\(parts.host)\(port)\(parts.path)\(Self.query(of: url, folding))"
  }

  package var description: String { text }

  /// With its question mark; empty when nothing is left of it.
  private static func query(of url: String, _ folding: Folding) -> String {
    guard !folding.ignoresQuery else { return "" }
    let withoutFragment = url.prefix { $0 != "#" }
    guard let start = withoutFragment.firstIndex(of: "?") else { return "" }
    let pairs = withoutFragment[withoutFragment.index(after: start)...].split(separator: "&").filter { pair in
      !folding.ignoredParameters.contains(String(pair.prefix { $0 != "=" }))
    }
    return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
  }

  /// With every byte percent-encoded that no URI may hold, as the log has it (RFC 3986 2), and escapes in capitals.
  private static func encoded(_ url: String) -> String {
    guard !url.utf8.allSatisfy(isPlain) else { return url }
    var bytes: [UInt8] = []
    var escape = 0
    for byte in url.utf8 {
      if escape > 0 {
        escape -= 1
        bytes.append((UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte) ? byte - 32 : byte)
      } else if byte == UInt8(ascii: "%") {
        escape = 2
        bytes.append(byte)
      } else if isPlain(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let hexDigits = Array("0123456789ABCDEF".utf8)

  /// What stands for itself in a URI, but for the percent sign.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default:
      "-._~:/?#[]@!$&'()*+,;=".utf8.contains(byte)
    }
  }
}
