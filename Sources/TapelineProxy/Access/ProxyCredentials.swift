internal import TapelineDigest
internal import TapelineText

/// The name and password that clients of the proxy must give (RFC 9110 11.7, RFC 7617).
package struct ProxyCredentials: Sendable {
  /// Of the text that a client sends after `Basic `. Digests have one length, so that a comparison takes as long for any two of
  /// them.
  private let digest: [UInt8]
  /// Shared by all copies.
  let throttle = AttemptThrottle()

  /// The challenge that asks for them (RFC 7617 2 and 2.1).
  static let challenge = #"Basic realm="tapeline", charset="UTF-8""#

  /// - Parameter pair: `USER:PASSWORD`; the name has no colon.
  package init(pair: String) {
    digest = Self.digest(of: Base64.encode(Array(pair.utf8)))
  }

  /// Whether a `Proxy-Authorization` value gives them. The time it takes reveals neither how much of the value is right nor their
  /// length.
  func match(_ value: String) -> Bool {
    let words = value.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "basic" else { return false }
    let difference = zip(digest, Self.digest(of: String(words[1]))).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
    return difference == 0
  }

  private static func digest(of token: String) -> [UInt8] {
    let bytes = Array(token.utf8)
    return MessageDigest.sha256.digest(of: bytes.span)
  }
}
