internal import TapelineBase

/// Tells a secret from a word, a number, a date, or code, where the text around it only suggests a secret.
enum LikelySecret {
  private static let shortest = 6
  /// Longer text is looked at up to here.
  private static let longest = 256

  /// Letters and digits, and nothing that an expression or a sentence has.
  static func isLikely(_ value: Span<UInt8>) -> Bool {
    guard value.count >= shortest, !isPath(value) else { return false }
    var (digits, letters, capitals, dots) = (0, 0, 0, 0)
    for index in value.indices.prefix(longest) {
      let byte = value[index]
      if Byte.isDigit(byte) {
        digits += 1
      } else if Byte.isLetter(byte) {
        letters += byte | 0x20 == UInt8(ascii: "t") || byte | 0x20 == UInt8(ascii: "z") ? 0 : 1
        capitals += Byte.isUppercase(byte) ? 1 : 0
      } else if byte == UInt8(ascii: ".") {
        dots += 1
      } else if isOfCode(byte) {
        return false
      }
    }
    // Such as `config.token2`.
    if dots > 0, value.count < 20 { return false }
    return digits > 0 && letters > 0 || letters >= 24 && capitals > 4 && capitals < letters - 4
  }

  /// Whether a text is the version that a package needs of another one, which may be called like a secret: `^9.0.2`.
  static func isVersionRange(_ value: Span<UInt8>) -> Bool {
    guard value.count >= 2, [UInt8(ascii: "^"), UInt8(ascii: "~"), UInt8(ascii: ">")].contains(value[0]) else { return false }
    return value.end(of: { Byte.isDigit($0) || "^~><=.x* |-".utf8.contains($0) }, from: 0) == value.count
  }

  private static func isPath(_ value: Span<UInt8>) -> Bool {
    switch value[0] {
    case UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: "$"), UInt8(ascii: "%"): true
    default:
      (0..<min(value.count, 16)).contains { value.matches("://", at: $0) }
    }
  }

  private static func isOfCode(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, 0x7F, UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"),
      UInt8(ascii: "}"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"),
      UInt8(ascii: ","), UInt8(ascii: ";"):
      true
    default: false
    }
  }
}
