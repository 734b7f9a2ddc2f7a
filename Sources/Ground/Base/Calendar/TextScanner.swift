/// Reads a short text from its start.
struct TextScanner {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  var isAtEnd: Bool { position == bytes.count }

  /// Takes `text` when it is next.
  mutating func take(_ text: String) -> Bool {
    guard bytes[position...].starts(with: text.utf8) else { return false }
    position += text.utf8.count
    return true
  }

  /// Takes exactly `digits` digits.
  mutating func takeNumber(digits: Int) -> Int? {
    guard bytes.count - position >= digits else { return nil }
    var value = 0
    for byte in bytes[position..<position + digits] {
      guard Byte.isDigit(byte) else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    position += digits
    return value
  }
}
