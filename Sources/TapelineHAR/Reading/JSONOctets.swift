/// What single octets mean between the strings of a JSON text.
enum JSONOctets {
  @inline(__always)
  static func isWhiteSpace(_ octet: UInt8) -> Bool {
    octet == 0x20 || octet == 0x0A || octet == 0x0D || octet == 0x09
  }

  @inline(__always)
  static func isDigit(_ octet: UInt8) -> Bool {
    octet &- UInt8(ascii: "0") < 10
  }

  /// Whether a value can begin so.
  static func beginsValue(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"),
      UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
