/// Percent-encoding of bytes (RFC 3986 2.1).
enum PercentEncoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// `text` in UTF-8 with every byte that `allowed` has not percent-encoded, in capitals as RFC 3986 2.1 wants it.
  static func encode(_ text: String, allowed: AllowedCharacters) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if allowed.contains(byte) {
        bytes.append(byte)
      } else {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The bytes of `text` with each percent-encoded one decoded; what is no encoding stays as it is.
  static func decode(_ text: some StringProtocol) -> [UInt8] {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = value(of: bytes[index + 1]),
        let low = value(of: bytes[index + 2])
      {
        result.append(high << 4 | low)
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
