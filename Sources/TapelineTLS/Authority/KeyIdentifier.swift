internal import TapelineDigest
internal import TapelineText

/// Identifiers of a public key: its short name inside certificates, and its pin outside of them.
enum KeyIdentifier {
  /// The first 160 bits of SHA-256 over the key's bit string (RFC 7093, 2, method 1).
  ///
  /// - Parameter publicKeyInfo: of a key on P-256: the point is in the last bytes.
  static func short(of publicKeyInfo: [UInt8]) -> [UInt8] {
    precondition(isP256(publicKeyInfo), "all keys that certify or are certified here are on P-256")
    return Array(MessageDigest.sha256.digest(of: publicKeyInfo.span.extracting(last: pointLength)).prefix(20))
  }

  /// SHA-256 of the SubjectPublicKeyInfo, Base64: a pin in the words of RFC 7469, 2.4, and the format of Chromium's
  /// `--ignore-certificate-errors-spki-list`.
  static func pin(of publicKeyInfo: [UInt8]) -> String {
    Base64.encode(MessageDigest.sha256.digest(of: publicKeyInfo.span))
  }

  /// Whether the key is on P-256 and its point is uncompressed (RFC 5480, 2).
  static func isP256(_ publicKeyInfo: [UInt8]) -> Bool {
    publicKeyInfo.count == prefix.count + pointLength && publicKeyInfo.starts(with: prefix)
  }

  /// 0x04 and two coordinates of 256 bits.
  private static let pointLength = 65

  private static let prefix: [UInt8] = {
    let algorithm = DERValue.sequence(.objectIdentifier(.ellipticCurveKey), .objectIdentifier(.p256))
    let whole = DERValue.sequence(algorithm, .bitString([0x04] + [UInt8](repeating: 0, count: pointLength - 1)))
    return Array(whole.bytes.dropLast(pointLength))
  }()
}
