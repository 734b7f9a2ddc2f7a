internal import TapelineHAR

/// RFC 4648 section 4, as HAR keeps bytes that are no text.
enum Base64 {
  static func encode(_ bytes: [UInt8]) -> String {
    var writer = JSONWriter(capacity: bytes.count / 3 * 4 + 8)
    writer.append(base64: bytes.span)
    // The writer makes a JSON string: the letters stand between two quotes.
    return String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self)
  }

  /// The bytes of `text`; line breaks in it are skipped. `nil` when it is not base64.
  static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 4 * 3)
    var group: UInt32 = 0
    var letters = 0
    var padding = 0
    for character in text.utf8 where character != UInt8(ascii: "\n") && character != UInt8(ascii: "\r") {
      if character == UInt8(ascii: "=") {
        padding += 1
        continue
      }
      guard padding == 0, let value = value(of: character) else { return nil }
      group = group << 6 | value
      letters += 1
      guard letters % 4 == 0 else { continue }
      bytes.append(UInt8(truncatingIfNeeded: group >> 16))
      bytes.append(UInt8(truncatingIfNeeded: group >> 8))
      bytes.append(UInt8(truncatingIfNeeded: group))
    }
    switch letters % 4 {
    case 2:
      bytes.append(UInt8(truncatingIfNeeded: group >> 4))
    case 3:
      bytes.append(UInt8(truncatingIfNeeded: group >> 10))
      bytes.append(UInt8(truncatingIfNeeded: group >> 2))
    case 1:
      return nil
    default:
      break
    }
    return padding <= 2 ? bytes : nil
  }

  private static func value(of letter: UInt8) -> UInt32? {
    switch letter {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a") + 26)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0") + 52)
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
