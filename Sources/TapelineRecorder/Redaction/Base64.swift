internal import TapelineHAR

/// Base64 (RFC 4648, 4) of bodies that other programs wrote.
enum Base64 {
  /// Line ends are passed over, padding may be missing; `nil` when anything else is in the text.
  static func decode(_ text: Span<UInt8>) -> [UInt8]? {
    var output: [UInt8] = []
    output.reserveCapacity(text.count / 4 * 3 + 3)
    var bits: UInt32 = 0
    var bitCount = 0
    for index in text.indices {
      let letter = text[index]
      if letter == 0x0A || letter == 0x0D || letter == UInt8(ascii: "=") { continue }
      guard let value = value(of: letter) else { return nil }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        output.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    return output
  }

  static func encode(_ bytes: Span<UInt8>) -> String {
    var writer = JSONWriter()
    writer.append(base64: bytes)
    // Without the quotes.
    return String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self)
  }

  private static func value(of letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): letter - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
