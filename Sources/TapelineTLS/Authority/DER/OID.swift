/// The name of an algorithm, an attribute or an extension: an object identifier, as its content bytes (X.690, 8.19).
struct OID: Hashable, Sendable {
  let bytes: [UInt8]

  init(_ first: Int, _ second: Int, _ rest: Int...) {
    bytes = [UInt8(first * 40 + second)] + rest.flatMap(Self.base128)
  }

  /// Seven bits per byte, most significant first; all bytes but the last have the high bit set.
  private static func base128(_ arc: Int) -> [UInt8] {
    var bytes = [UInt8(arc & 0x7F)]
    var rest = arc >> 7
    while rest > 0 {
      bytes.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
      rest >>= 7
    }
    return bytes
  }
}

extension OID {
  /// RFC 5758, 3.2.
  static let ecdsaWithSHA256 = OID(1, 2, 840, 10_045, 4, 3, 2)
  /// RFC 5480, 2.1.
  static let ellipticCurveKey = OID(1, 2, 840, 10_045, 2, 1)
  static let p256 = OID(1, 2, 840, 10_045, 3, 1, 7)
  /// X.520.
  static let commonName = OID(2, 5, 4, 3)
  /// RFC 5280, 4.2.1.
  static let subjectKeyIdentifier = OID(2, 5, 29, 14)
  static let keyUsage = OID(2, 5, 29, 15)
  static let subjectAlternativeName = OID(2, 5, 29, 17)
  static let basicConstraints = OID(2, 5, 29, 19)
  static let authorityKeyIdentifier = OID(2, 5, 29, 35)
  static let extendedKeyUsage = OID(2, 5, 29, 37)
  /// RFC 5280, 4.2.1.12.
  static let serverAuthentication = OID(1, 3, 6, 1, 5, 5, 7, 3, 1)
}
