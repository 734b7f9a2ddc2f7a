/// Percent-encoding as forms and queries use it: `+` is a space.
enum PercentEncoding {
  static func hexValue(_ octet: UInt8) -> UInt8? {
    switch octet {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): octet - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): octet - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): octet - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// What is no escape stays as it is.
  static func decode(_ text: Span<UInt8>, into output: inout [UInt8]) {
    var index = 0
    while index < text.count {
      let octet = text[index]
      if octet == UInt8(ascii: "%"), index + 2 < text.count, let high = hexValue(text[index + 1]),
        let low = hexValue(text[index + 2])
      {
        output.append(high << 4 | low)
        index += 3
      } else {
        output.append(octet == UInt8(ascii: "+") ? 0x20 : octet)
        index += 1
      }
    }
  }

  /// All but the unreserved characters (RFC 3986, 2.3).
  static func encode(_ text: Span<UInt8>, into output: inout [UInt8]) {
    for index in text.indices {
      let octet = text[index]
      switch octet {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        output.append(octet)
      default:
        output.append(UInt8(ascii: "%"))
        output.append(hexDigit(octet >> 4))
        output.append(hexDigit(octet & 0xF))
      }
    }
  }

  static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
