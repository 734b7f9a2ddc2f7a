internal import TapelineDigest

/// A hash function of the Digest scheme, and how its key is made (RFC 7616 3.2, 3.4.2).
package struct DigestAlgorithm: Hashable, Sendable {
  /// As in the `algorithm` parameter.
  package let name: String
  let digest: MessageDigest
  /// The key is made with the first nonces and then kept.
  let isSession: Bool

  /// A missing name means MD5.
  package init?(name: String?) {
    let name = name ?? "MD5"
    let upper = name.uppercased()
    isSession = upper.hasSuffix("-SESS")
    switch isSession ? String(upper.dropLast("-SESS".utf8.count)) : upper {
    case "MD5": digest = .md5
    case "SHA-256": digest = .sha256
    case "SHA-512-256": digest = .sha512Truncated256
    default: return nil
    }
    self.name = name
  }

  /// H(data) of RFC 7616 3.3.
  func hash(_ text: String) -> String {
    digest.hexadecimal(of: Array(text.utf8).span)
  }
}
