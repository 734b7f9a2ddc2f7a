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
