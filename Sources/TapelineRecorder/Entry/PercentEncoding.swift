/// Percent-encoding as forms and queries use it: `+` is a space.
enum PercentEncoding {
  static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// What is no escape stays as it is.
  static func decode(_ text: Span<UInt8>, into output: inout [UInt8]) {
    var index = 0
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: "%"), index + 2 < text.count, let high = hexValue(text[index + 1]),
        let low = hexValue(text[index + 2])
      {
        output.append(high << 4 | low)
        index += 3
      } else {
        output.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
        index += 1
      }
    }
  }

  /// All but the unreserved characters (RFC 3986, 2.3).
  static func encode(_ text: Span<UInt8>, into output: inout [UInt8]) {
    for index in text.indices {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        output.append(byte)
      default:
        output.append(UInt8(ascii: "%"))
        output.append(hexDigit(byte >> 4))
        output.append(hexDigit(byte & 0xF))
      }
    }
  }

  static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
