/// Bytes that grammars call by name, and the classes of ASCII that are a range. Other classes are a `ByteSet`.
public enum Byte {
  @inlinable
  public static var tab: UInt8 { UInt8(ascii: "\t") }
  @inlinable
  public static var lineFeed: UInt8 { UInt8(ascii: "\n") }
  @inlinable
  public static var carriageReturn: UInt8 { UInt8(ascii: "\r") }
  @inlinable
  public static var space: UInt8 { UInt8(ascii: " ") }
  @inlinable
  public static var quote: UInt8 { UInt8(ascii: "\"") }
  @inlinable
  public static var backslash: UInt8 { UInt8(ascii: "\\") }
  @inlinable
  public static var percent: UInt8 { UInt8(ascii: "%") }
  @inlinable
  public static var comma: UInt8 { UInt8(ascii: ",") }
  @inlinable
  public static var slash: UInt8 { UInt8(ascii: "/") }
  @inlinable
  public static var colon: UInt8 { UInt8(ascii: ":") }
  @inlinable
  public static var semicolon: UInt8 { UInt8(ascii: ";") }
  @inlinable
  public static var equals: UInt8 { UInt8(ascii: "=") }
  @inlinable
  public static var delete: UInt8 { 0x7F }

  /// OWS (RFC 9110 5.6.3): SP and HTAB only. A 0xA0 or a vertical tab is not blank.
  @inlinable
  public static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

  /// DIGIT (RFC 5234 B.1).
  @inlinable
  public static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  /// ALPHA (RFC 5234 B.1).
  @inlinable
  public static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

  @inlinable
  public static func isUppercase(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }

  @inlinable
  public static func isLowercase(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "a") < 26 }

  /// Bytes beyond ASCII stay as they are.
  @inlinable
  public static func lowercased(_ byte: UInt8) -> UInt8 { isUppercase(byte) ? byte | 0x20 : byte }
}

/// A class of ASCII bytes as a bit set: membership is a shift, with no table to load.
///
/// Bytes above 0x7F are in no set; if a grammar allows them (obs-text, RFC 9110 5.5), the caller says so. A mere range of
/// bytes, such as the digits, has its own test in `Byte`.
public struct ByteSet: Hashable, Sendable {
  @usableFromInline let low: UInt64
  @usableFromInline let high: UInt64

  /// Bit n of `low` stands for the byte n, bit n of `high` for the byte 64 + n.
  @inlinable
  init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// The bytes of `text`; those beyond ASCII are left out.
  package init(_ text: String) {
    var low: UInt64 = 0
    var high: UInt64 = 0
    for byte in text.utf8 {
      switch byte {
      case 0..<64: low |= 1 << UInt64(byte)
      case 64..<128: high |= 1 << UInt64(byte - 64)
      default: break
      }
    }
    self.init(low: low, high: high)
  }

  @inlinable
  public func contains(_ byte: UInt8) -> Bool {
    let half = byte < 64 ? low : high
    return byte < 128 && (half &>> UInt64(byte & 63)) & 1 == 1
  }

  /// The bytes of this set and of `other`.
  package func union(_ other: ByteSet) -> ByteSet {
    ByteSet(low: low | other.low, high: high | other.high)
  }

  /// The bytes of this set and of `text`.
  package func union(_ text: String) -> ByteSet {
    union(ByteSet(text))
  }
}

// Computed rather than stored: in another module these are two constants, without a call.
extension ByteSet {
  /// ALPHA and DIGIT (RFC 5234 B.1).
  @inlinable
  public static var alphanumeric: ByteSet { ByteSet(low: 0x03ff_0000_0000_0000, high: 0x07ff_fffe_07ff_fffe) }
  /// Digits of base 16, capital and small (RFC 5234 B.1).
  @inlinable
  public static var hexadecimal: ByteSet { ByteSet(low: 0x03ff_0000_0000_0000, high: 0x0000_007e_0000_007e) }

  // Hosts.

  /// A label of a host's name as people use them: letters, digits, hyphens and underscores (RFC 1035 2.3.1 has no underscores).
  @inlinable
  public static var hostLabel: ByteSet { ByteSet(low: 0x03ff_2000_0000_0000, high: 0x07ff_fffe_87ff_fffe) }
  /// Labels and the dots between them.
  @inlinable
  public static var hostName: ByteSet { ByteSet(low: 0x03ff_6000_0000_0000, high: 0x07ff_fffe_87ff_fffe) }

  // HTTP.

  /// tchar (RFC 9110 5.6.2): methods, field names, codings.
  @inlinable
  public static var token: ByteSet { ByteSet(low: 0x03ff_6cfa_0000_0000, high: 0x57ff_ffff_c7ff_fffe) }
  /// The bytes of a token68 before its padding (RFC 9110 11.2).
  @inlinable
  public static var token68: ByteSet { ByteSet(low: 0x03ff_e800_0000_0000, high: 0x47ff_fffe_87ff_fffe) }
  /// attr-char (RFC 8187 3.2.1): bytes that an extended parameter need not encode.
  @inlinable
  public static var attributeCharacter: ByteSet { ByteSet(low: 0x03ff_685a_0000_0000, high: 0x57ff_ffff_c7ff_fffe) }

  // URIs.

  /// unreserved (RFC 3986 2.3).
  @inlinable
  public static var unreserved: ByteSet { ByteSet(low: 0x03ff_6000_0000_0000, high: 0x47ff_fffe_87ff_fffe) }
  /// reserved and unreserved (RFC 3986 2.2, 2.3): the bytes that represent themselves in a URI, so not the percent sign.
  @inlinable
  public static var uri: ByteSet { ByteSet(low: 0xafff_ffda_0000_0000, high: 0x47ff_fffe_afff_ffff) }
  /// unreserved and sub-delims (RFC 3986 2): a registered name, besides percent-encoded bytes.
  @inlinable
  public static var registeredName: ByteSet { ByteSet(low: 0x2bff_7fd2_0000_0000, high: 0x47ff_fffe_87ff_fffe) }
  /// The bytes of a registered name and the colon (RFC 3986 3.2.1).
  @inlinable
  public static var userinfo: ByteSet { ByteSet(low: 0x2fff_7fd2_0000_0000, high: 0x47ff_fffe_87ff_fffe) }
  /// The bytes of an IPv6address (RFC 3986 3.2.2).
  @inlinable
  public static var addressLiteral: ByteSet { ByteSet(low: 0x07ff_4000_0000_0000, high: 0x0000_007e_0000_007e) }
  /// The brackets and the backslash, which no name has.
  @inlinable
  public static var notInNames: ByteSet { ByteSet(low: 0, high: 0x0000_0000_3800_0000) }
  /// The bytes of a scheme after its first letter (RFC 3986 3.1).
  @inlinable
  public static var scheme: ByteSet { ByteSet(low: 0x03ff_6800_0000_0000, high: 0x07ff_fffe_07ff_fffe) }
  /// The bytes that `application/x-www-form-urlencoded` leaves unchanged (URL Standard 1.3); a space becomes `+`.
  @inlinable
  public static var formURLEncoded: ByteSet { ByteSet(low: 0x03ff_6400_0000_0000, high: 0x07ff_fffe_87ff_fffe) }
}

extension String {
  /// Whether this is a token (RFC 9110 5.6.2): a method, a field name.
  package var isToken: Bool {
    !isEmpty && utf8.allSatisfy(ByteSet.token.contains)
  }
}
