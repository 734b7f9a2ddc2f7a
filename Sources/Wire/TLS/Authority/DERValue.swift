internal import TapelineBase
internal import TapelineTime

/// One value in the Distinguished Encoding Rules (X.690): tag, length, contents. Supports only the parts that a certificate
/// needs.
struct DERValue: Hashable, Sendable {
  let bytes: [UInt8]

  /// A value that is already encoded.
  init(encoded bytes: [UInt8]) {
    self.bytes = bytes
  }

  init(_ tag: UInt8, _ contents: [UInt8]) {
    var bytes = [tag]
    bytes.reserveCapacity(contents.count + 5)
    if contents.count < 0x80 {
      bytes.append(UInt8(contents.count))
    } else {
      // The long form: the number of bytes of the length, then the length, most significant byte first.
      let length = (0..<8).reversed().map { UInt8(truncatingIfNeeded: contents.count >> ($0 * 8)) }.drop { $0 == 0 }
      bytes.append(0x80 | UInt8(length.count))
      bytes += length
    }
    self.bytes = bytes + contents
  }
}

// The universal types.
extension DERValue {
  static func boolean(_ value: Bool) -> DERValue { DERValue(0x01, [value ? 0xFF : 0x00]) }

  /// A non-negative integer from its bytes, most significant first.
  static func unsignedInteger(_ magnitude: some Collection<UInt8>) -> DERValue {
    let significant = Array(magnitude.drop { $0 == 0 })
    // The first bit is the sign.
    let needsZero = significant.first.map { $0 >= 0x80 } ?? true
    return DERValue(0x02, needsZero ? [0] + significant : significant)
  }

  /// - Parameter unusedBits: how many of the last byte's low bits are not part of the string.
  static func bitString(_ bytes: [UInt8], unusedBits: UInt8 = 0) -> DERValue { DERValue(0x03, [unusedBits] + bytes) }

  static func byteString(_ bytes: [UInt8]) -> DERValue { DERValue(0x04, bytes) }

  static func objectIdentifier(_ identifier: OID) -> DERValue { DERValue(0x06, identifier.bytes) }

  static func utf8String(_ text: String) -> DERValue { DERValue(0x0C, Array(text.utf8)) }

  static func sequence(_ members: [DERValue]) -> DERValue { DERValue(0x30, members.flatMap(\.bytes)) }

  static func sequence(_ members: DERValue...) -> DERValue { sequence(members) }

  /// A set with one member: with more members, the order would matter.
  static func set(of member: DERValue) -> DERValue { DERValue(0x31, member.bytes) }

  /// RFC 5280, 4.1.2.5: through 2049 as UTCTime, later as GeneralizedTime.
  static func time(_ unixSeconds: Int64) -> DERValue {
    let date = CivilDate(unixSeconds: unixSeconds)
    let text = Array(date.generalizedTime.utf8)
    return date.year < 2050 ? DERValue(0x17, Array(text.dropFirst(2))) : DERValue(0x18, text)
  }
}

// Members that a definition tags with a number.
extension DERValue {
  /// `[number] IMPLICIT` of a primitive type: this tag replaces the type's tag.
  static func implicit(_ number: UInt8, _ contents: [UInt8]) -> DERValue { DERValue(0x80 | number, contents) }

  /// `[number] EXPLICIT`: this tag encloses the value.
  static func explicit(_ number: UInt8, _ value: DERValue) -> DERValue { DERValue(0xA0 | number, value.bytes) }
}

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

/// The subject or the issuer of a certificate (RFC 5280, 4.1.2.4), encoded.
struct DistinguishedName: Hashable, Sendable {
  let value: DERValue

  /// An empty name: the alternative name names the subject.
  static let empty = DistinguishedName(encoded: DERValue.sequence().bytes)

  /// RFC 5280, A.1: `ub-common-name`, in characters.
  static let longestCommonName = 64

  init(commonName: String) {
    precondition(commonName.unicodeScalars.count <= Self.longestCommonName, "readers refuse longer common names")
    let attribute = DERValue.sequence(.objectIdentifier(.commonName), .utf8String(commonName))
    value = .sequence(.set(of: attribute))
  }

  /// The exact bytes from a certificate: issuers are found by comparing bytes.
  init(encoded bytes: [UInt8]) {
    value = DERValue(encoded: bytes)
  }
}
