extension JSONParser {
  /// Takes the string that starts at the position.
  mutating func readString() throws(HARReadError) -> String {
    let start = position + 1
    let index = StringOctets.nextSpecial(in: octets.span.extracting(first: end), from: start)
    guard index < end else {
      position = end
      throw failure(.unexpectedEnd)
    }
    switch octets[index] {
    case UInt8(ascii: "\""):
      position = index + 1
      return String(decoding: octets[start..<index], as: UTF8.self)
    case UInt8(ascii: "\\"):
      return try readEscapedString(from: start, firstEscape: index)
    default:
      position = index
      throw failure(.invalidString)
    }
  }

  /// A string with escapes is put together in memory of its own.
  private mutating func readEscapedString(from start: Int, firstEscape: Int) throws(HARReadError) -> String {
    var text = Array(octets[start..<firstEscape])
    position = firstEscape
    while position < end {
      switch octets[position] {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        position += 1
        try readEscape(into: &text)
      case 0..<0x20:
        throw failure(.invalidString)
      default:
        let plainEnd = StringOctets.nextSpecial(in: octets.span.extracting(first: end), from: position)
        text.append(contentsOf: octets[position..<plainEnd])
        position = plainEnd
      }
    }
    throw failure(.unexpectedEnd)
  }

  private mutating func readEscape(into text: inout [UInt8]) throws(HARReadError) {
    guard position < end else { throw failure(.unexpectedEnd) }
    let letter = octets[position]
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      position += 1
      text.append(contentsOf: Array(try readUnicodeEscape().utf8))
      return
    default: throw failure(.invalidString)
    }
    position += 1
  }

  /// One escape or a pair of surrogates. A surrogate alone is no character, yet browsers write it where they cut a text:
  /// it becomes U+FFFD.
  private mutating func readUnicodeEscape() throws(HARReadError) -> String {
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
    position + 1 < end && octets[position] == UInt8(ascii: "\\") && octets[position + 1] == UInt8(ascii: "u")
  }

  private static func character(_ value: UInt32) -> String {
    String(Character(Unicode.Scalar(value) ?? "\u{FFFD}"))
  }

  private mutating func readFourHexDigits() throws(HARReadError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard position < end else { throw failure(.unexpectedEnd) }
      switch octets[position] {
      case let digit where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit):
        value = value << 4 | UInt32(digit - UInt8(ascii: "0"))
      case let digit where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(digit | 0x20):
        value = value << 4 | UInt32((digit | 0x20) - UInt8(ascii: "a") + 10)
      default: throw failure(.invalidString)
      }
      position += 1
    }
    return value
  }

  /// Takes the text of the number that starts at the position (RFC 8259, section 6).
  mutating func readNumber() throws(HARReadError) -> String {
    let start = position
    if octets[position] == UInt8(ascii: "-") { position += 1 }
    let digits = position
    guard skipDigits() > 0 else { throw failure(.invalidNumber) }
    if position - digits > 1, octets[digits] == UInt8(ascii: "0") {
      position = digits
      throw failure(.invalidNumber)
    }
    if position < end, octets[position] == UInt8(ascii: ".") {
      position += 1
      guard skipDigits() > 0 else { throw failure(.invalidNumber) }
    }
    if position < end, octets[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      if position < end, octets[position] == UInt8(ascii: "+") || octets[position] == UInt8(ascii: "-") { position += 1 }
      guard skipDigits() > 0 else { throw failure(.invalidNumber) }
    }
    return String(decoding: octets[start..<position], as: UTF8.self)
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while position < end, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octets[position]) { position += 1 }
    return position - start
  }
}
