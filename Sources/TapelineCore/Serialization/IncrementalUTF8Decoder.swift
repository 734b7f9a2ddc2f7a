/// Makes text of UTF-8 that comes in pieces, wherever the cuts are: a character whose octets are not all there waits for the next piece.
///
/// What is no UTF-8 becomes U+FFFD, as in `String(decoding:as:)`.
package struct IncrementalUTF8Decoder: Sendable {
  /// The beginning of a character, at most three octets.
  private var pending: [UInt8] = []

  package init() {}

  /// The text of what is whole by now.
  package mutating func decode(_ octets: Span<UInt8>) -> String {
    var text = pending
    text.reserveCapacity(pending.count + octets.count)
    for index in octets.indices { text.append(octets[index]) }
    let whole = text.count - Self.unfinishedCount(of: text)
    pending = Array(text[whole...])
    return String(decoding: text[..<whole], as: UTF8.self)
  }

  /// The text of what no more octets will complete.
  package mutating func finish() -> String {
    defer { pending = [] }
    return String(decoding: pending, as: UTF8.self)
  }

  /// How many octets at the end begin a character that needs more.
  private static func unfinishedCount(of octets: [UInt8]) -> Int {
    for (distance, octet) in octets.reversed().prefix(3).enumerated() where octet & 0xC0 != 0x80 {
      let length =
        switch octet {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
      return length > distance + 1 ? distance + 1 : 0
    }
    return 0
  }
}
