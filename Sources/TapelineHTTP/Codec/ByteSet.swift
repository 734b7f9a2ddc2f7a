/// A class of ASCII bytes as a bit set: membership is a shift, with no table to load.
///
/// Bytes above 0x7F are in no set; where the grammar allows obs-text (RFC 9110 5.5), the caller says so.
struct ByteSet: Hashable, Sendable {
  private let low: UInt64
  private let high: UInt64

  private init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  func contains(_ byte: UInt8) -> Bool {
    let half = byte < 64 ? low : high
    return byte < 128 && (half &>> UInt64(byte & 63)) & 1 == 1
  }

  /// tchar (RFC 9110 5.6.2): methods, field names, codings.
  static let token = ByteSet(low: 0x03ff_6cfa_0000_0000, high: 0x57ff_ffff_c7ff_fffe)
  /// unreserved and sub-delims (RFC 3986 2): a registered name, besides percent-encoded bytes.
  static let registeredName = ByteSet(low: 0x2bff_7fd2_0000_0000, high: 0x47ff_fffe_87ff_fffe)
  /// The bytes of a registered name and the colon (RFC 3986 3.2.1).
  static let userinfo = ByteSet(low: 0x2fff_7fd2_0000_0000, high: 0x47ff_fffe_87ff_fffe)
  /// Digits of base 16 (RFC 5234 B.1).
  static let hexadecimal = ByteSet(low: 0x03ff_0000_0000_0000, high: 0x0000_007e_0000_007e)
  /// The bytes of an IPv6address (RFC 3986 3.2.2).
  static let addressLiteral = ByteSet(low: 0x07ff_4000_0000_0000, high: 0x0000_007e_0000_007e)
  /// The bytes of a scheme after its first letter (RFC 3986 3.1).
  static let scheme = ByteSet(low: 0x03ff_6800_0000_0000, high: 0x07ff_fffe_07ff_fffe)
}

/// The bytes that the grammar calls by name.
enum Byte {
  static let tab = UInt8(ascii: "\t")
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")
  static let colon = UInt8(ascii: ":")
  static let comma = UInt8(ascii: ",")
  static let semicolon = UInt8(ascii: ";")
  static let slash = UInt8(ascii: "/")
  static let delete: UInt8 = 0x7F

  /// OWS (RFC 9110 5.6.3): SP and HTAB only. A 0xA0 or a vertical tab is not blank.
  static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

  static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  static func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
  }
}
