// Hot path: every string that is kept is copied from the log here.

extension JSONParser {
  /// Takes the string that starts at the position.
  mutating func readString() throws(HARReadError) -> String {
    let start = position + 1
    let index = try findSpecial(from: start)
    if byte(at: index) == UInt8(ascii: "\"") {
      position = index + 1
      return unsafe String(decoding: UnsafeBufferPointer(start: bytes + start, count: index - start), as: UTF8.self)
    }
    return try readEscapedString(from: start, firstEscape: index)
  }

  /// Takes the name that starts at the position.
  @inline(__always)
  mutating func readName() throws(HARReadError) -> MemberName {
    let start = position + 1
    let index = try findSpecial(from: start)
    if byte(at: index) == UInt8(ascii: "\"") {
      position = index + 1
      return unsafe MemberName(bytes + start, count: index - start)
    }
    return unsafe MemberName(unescaped: try readEscapedString(from: start, firstEscape: index), at: bytes + start)
  }

  /// Where the first quote or backslash of the string stands.
  @inline(__always)
  private mutating func findSpecial(from start: Int) throws(HARReadError) -> Int {
    let index = unsafe StringBytes.nextSpecial(in: bytes, from: start, to: end)
    guard index < end else {
      position = end
      throw failure(.unexpectedEnd)
    }
    if byte(at: index) < 0x20 {
      position = index
      throw failure(.invalidString)
    }
    return index
  }

  /// A string with escapes is put together in memory of its own.
  private mutating func readEscapedString(from start: Int, firstEscape: Int) throws(HARReadError) -> String {
    var text = unsafe Array(UnsafeBufferPointer(start: bytes + start, count: firstEscape - start))
    position = firstEscape
    while position < end {
      switch byte(at: position) {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        position += 1
        try readEscape(into: &text)
      case 0..<0x20:
        throw failure(.invalidString)
      default:
        let plainEnd = unsafe StringBytes.nextSpecial(in: bytes, from: position, to: end)
        unsafe text.append(contentsOf: UnsafeBufferPointer(start: bytes + position, count: plainEnd - position))
        position = plainEnd
      }
    }
    throw failure(.unexpectedEnd)
  }

  private mutating func readEscape(into text: inout [UInt8]) throws(HARReadError) {
    guard position < end else { throw failure(.unexpectedEnd) }
    let letter = byte(at: position)
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      position += 1
      text.append(contentsOf: String(try readUnicodeEscape()).utf8)
      return
    default: throw failure(.invalidString)
    }
    position += 1
  }

  /// One escape or a pair of surrogates. A surrogate alone is no character, yet browsers write it where they cut a text:
  /// it becomes U+FFFD.
  private mutating func readUnicodeEscape() throws(HARReadError) -> Character {
    let first = try readFourHexDigits()
    if (0xD800..<0xDC00).contains(first), nextIsUnicodeEscape {
      let afterFirst = position
      position += 2
      let second = try readFourHexDigits()
      if (0xDC00..<0xE000).contains(second) {
        return Self.character(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
      }
      position = afterFirst
    }
    return Self.character(first)
  }

  private var nextIsUnicodeEscape: Bool {
    position + 1 < end && byte(at: position) == UInt8(ascii: "\\") && byte(at: position + 1) == UInt8(ascii: "u")
  }

  private static func character(_ value: UInt32) -> Character {
    Character(Unicode.Scalar(value) ?? "\u{FFFD}")
  }

  mutating func readFourHexDigits() throws(HARReadError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard position < end else { throw failure(.unexpectedEnd) }
      let digit = byte(at: position)
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        value = value << 4 | UInt32(digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
        value = value << 4 | UInt32((digit | 0x20) - UInt8(ascii: "a") + 10)
      default: throw failure(.invalidString)
      }
      position += 1
    }
    return value
  }
}
