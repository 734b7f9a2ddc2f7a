internal import TapelineHAR

/// RFC 4648 section 4, as HAR keeps octets that are no text.
enum Base64 {
  static func encode(_ octets: [UInt8]) -> String {
    var writer = JSONWriter(capacity: octets.count / 3 * 4 + 8)
    writer.append(base64: octets.span)
    // The writer makes a JSON string: the letters stand between two quotes.
    return String(decoding: writer.octets.dropFirst().dropLast(), as: UTF8.self)
  }

  /// The octets of `text`; line breaks in it are skipped. `nil` when it is not base64.
  static func decode(_ text: String) -> [UInt8]? {
    var octets: [UInt8] = []
    octets.reserveCapacity(text.utf8.count / 4 * 3)
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
      octets.append(UInt8(truncatingIfNeeded: group >> 16))
      octets.append(UInt8(truncatingIfNeeded: group >> 8))
      octets.append(UInt8(truncatingIfNeeded: group))
    }
    switch letters % 4 {
    case 2:
      octets.append(UInt8(truncatingIfNeeded: group >> 4))
    case 3:
      octets.append(UInt8(truncatingIfNeeded: group >> 10))
      octets.append(UInt8(truncatingIfNeeded: group >> 2))
    case 1:
      return nil
    default:
      break
    }
    return padding <= 2 ? octets : nil
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
