/// Percent-encoding of octets (RFC 3986 2.1).
enum PercentEncoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// `text` in UTF-8 with every octet that `allowed` has not percent-encoded, in capitals as RFC 3986 2.1 wants it.
  static func encode(_ text: String, allowed: AllowedCharacters) -> String {
    var octets: [UInt8] = []
    octets.reserveCapacity(text.utf8.count)
    for octet in text.utf8 {
      if allowed.contains(octet) {
        octets.append(octet)
      } else {
        octets.append(UInt8(ascii: "%"))
        octets.append(digits[Int(octet >> 4)])
        octets.append(digits[Int(octet & 15)])
      }
    }
    return String(decoding: octets, as: UTF8.self)
  }

  /// The octets of `text` with each percent-encoded one decoded; what is no encoding stays as it is.
  static func decode(_ text: some StringProtocol) -> [UInt8] {
    let octets = Array(text.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(octets.count)
    var index = 0
    while index < octets.count {
      if octets[index] == UInt8(ascii: "%"), index + 2 < octets.count, let high = value(of: octets[index + 1]),
        let low = value(of: octets[index + 2])
      {
        result.append(high << 4 | low)
        index += 3
      } else {
        result.append(octets[index])
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
