/// A position in a hello, from which the vectors of RFC 8446 3.4 are read. Every read stays within `end`, and is `nil` if too few
/// bytes are left.
struct HelloCursor {
  private var position: Int
  private let end: Int

  init(_ range: Range<Int>) {
    position = range.lowerBound
    end = range.upperBound
  }

  var isAtEnd: Bool { position == end }

  /// How many bytes are left.
  var count: Int { end - position }

  mutating func byte(_ bytes: Span<UInt8>) -> UInt8? {
    guard position < end else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func number(_ bytes: Span<UInt8>) -> UInt16? {
    guard count >= 2 else { return nil }
    defer { position += 2 }
    return UInt16(bytes[position]) << 8 | UInt16(bytes[position + 1])
  }

  mutating func range(ofCount count: Int) -> Range<Int>? {
    guard self.count >= count else { return nil }
    defer { position += count }
    return position..<position + count
  }

  /// A vector after a length of one byte.
  mutating func shortVector(_ bytes: Span<UInt8>) -> HelloCursor? {
    guard let count = byte(bytes), let range = range(ofCount: Int(count)) else { return nil }
    return HelloCursor(range)
  }

  /// A vector after a length of two bytes.
  mutating func vector(_ bytes: Span<UInt8>) -> HelloCursor? {
    guard let count = number(bytes), let range = range(ofCount: Int(count)) else { return nil }
    return HelloCursor(range)
  }

  /// The remaining bytes as an array.
  func rest(_ bytes: Span<UInt8>) -> [UInt8] {
    (position..<end).map { bytes[$0] }
  }
}

/// Values that clients add so that servers do not rely on fixed lists (RFC 8701).
func isGREASE(_ value: UInt16) -> Bool {
  value & 0x0f0f == 0x0a0a && value >> 8 == value & 0xff
}
