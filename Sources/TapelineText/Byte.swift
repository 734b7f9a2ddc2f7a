/// Bytes that grammars call by name, and the classes of ASCII that are a range. Other classes are a `ByteSet`.
@usableFromInline
package enum Byte {
  @inlinable
  package static var tab: UInt8 { UInt8(ascii: "\t") }
  @inlinable
  package static var lineFeed: UInt8 { UInt8(ascii: "\n") }
  @inlinable
  package static var carriageReturn: UInt8 { UInt8(ascii: "\r") }
  @inlinable
  package static var space: UInt8 { UInt8(ascii: " ") }
  @inlinable
  package static var quote: UInt8 { UInt8(ascii: "\"") }
  @inlinable
  package static var backslash: UInt8 { UInt8(ascii: "\\") }
  @inlinable
  package static var percent: UInt8 { UInt8(ascii: "%") }
  @inlinable
  package static var comma: UInt8 { UInt8(ascii: ",") }
  @inlinable
  package static var slash: UInt8 { UInt8(ascii: "/") }
  @inlinable
  package static var colon: UInt8 { UInt8(ascii: ":") }
  @inlinable
  package static var semicolon: UInt8 { UInt8(ascii: ";") }
  @inlinable
  package static var equals: UInt8 { UInt8(ascii: "=") }
  @inlinable
  package static var delete: UInt8 { 0x7F }

  /// OWS (RFC 9110 5.6.3): SP and HTAB only. A 0xA0 or a vertical tab is not blank.
  @inlinable
  package static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

  /// DIGIT (RFC 5234 B.1).
  @inlinable
  package static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  /// ALPHA (RFC 5234 B.1).
  @inlinable
  package static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

  @inlinable
  package static func isUppercase(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }

  @inlinable
  package static func isLowercase(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "a") < 26 }

  /// Bytes beyond ASCII stay as they are.
  @inlinable
  package static func lowercased(_ byte: UInt8) -> UInt8 { isUppercase(byte) ? byte | 0x20 : byte }
}
