/// Takes a short text apart from its start.
struct TextScanner {
  private let octets: [UInt8]
  private var position = 0

  init(_ text: String) {
    octets = Array(text.utf8)
  }

  var isAtEnd: Bool { position == octets.count }

  /// Takes `text` when it is next.
  mutating func take(_ text: String) -> Bool {
    guard octets[position...].starts(with: text.utf8) else { return false }
    position += text.utf8.count
    return true
  }

  /// Takes exactly so many digits.
  mutating func takeNumber(digits: Int) -> Int? {
    guard octets.count - position >= digits else { return nil }
    var value = 0
    for octet in octets[position..<position + digits] {
      guard JSONOctets.isDigit(octet) else { return nil }
      value = value * 10 + Int(octet - UInt8(ascii: "0"))
    }
    position += digits
    return value
  }
}
