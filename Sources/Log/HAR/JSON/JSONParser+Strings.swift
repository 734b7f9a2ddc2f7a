internal import TapelineBase

// Hot path: every string that is kept is copied from the log here.

extension JSONParser {
  /// Takes the string that starts at the position.
  mutating func readString() throws(HARReadError) -> String {
    let start = position + 1
    let index = try findSpecial(from: start)
    if byte(at: index) == UInt8(ascii: "\"") {
      position = index + 1
      return text(in: start..<index)
    }
    return try readEscapedString(from: start, firstEscape: index)
  }

  /// Takes the text of a body, or whole characters of its beginning within `bodyLimit` bytes.
  ///
  /// - Parameters:
  ///   - unread: bytes of the text that follow, counted and not kept.
  ///   - hints: a text of JSON that has one of them is always read, and whole: it may say how an operation ended.
  /// - Returns: whether the value was a text, or texts are not wanted.
  mutating func readBody(_ text: inout String?, unread: inout Int, hints: [TextHint]) throws(HARReadError) -> Bool {
    guard try peek() == UInt8(ascii: "\""), bodyLimit != nil || !parts.contains(.bodies) else {
      return try read(&text, in: .bodies)
    }
    let start = self
    try skipValue()
    let isTelling = mayTell(start.position + 1..<position - 1, hints)
    if isTelling || parts.contains(.bodies) { restore(to: start) }
    if isTelling { return try read(&text) }
    guard let bodyLimit, parts.contains(.bodies) else { return true }
    var kept: [UInt8] = []
    (text, unread) = (nil, 0)
    position += 1
    while position < end {
      switch byte(at: position) {
      case UInt8(ascii: "\""):
        position += 1
        if unread > 0 {
          let incomplete = kept.incompleteCharacterCount
          kept.removeLast(incomplete)
          unread += incomplete
        }
        text = String(decoding: kept, as: UTF8.self)
        return true
      case UInt8(ascii: "\\"):
        position += 1
        if unread == 0 {
          try readEscape(into: &kept)
          let excess = max(0, kept.count - bodyLimit)
          kept.removeLast(excess)
          unread = excess
        } else {
          unread += try skipEscape()
        }
      case 1..<0x20:
        oddities.insert(.controlCharacter)
        if unread == 0, kept.count < bodyLimit { kept.append(byte(at: position)) } else { unread += 1 }
        position += 1
      case 0:
        throw failure(.invalidString)
      default:
        let plainEnd = nextSpecial(from: position)
        let count = unread > 0 ? 0 : min(plainEnd - position, bodyLimit - kept.count)
        append(position..<position + count, to: &kept)
        unread += plainEnd - position - count
        position = plainEnd
      }
    }
    throw failure(.unexpectedEnd)
  }

  /// Whether a text, in `range` as the log spells it, is an object or an array of JSON, or an event stream, that has one of the
  /// hints.
  func mayTell(_ range: Range<Int>, _ hints: [TextHint]) -> Bool {
    guard range.count > 8 else { return false }
    switch byte(at: range.lowerBound) {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\\"), Byte.space, Byte.colon, 0xEF: break
    case UInt8(ascii: "d"): guard hasName("data:", at: range.lowerBound) else { return false }
    case UInt8(ascii: "e"): guard hasName("event:", at: range.lowerBound) else { return false }
    case UInt8(ascii: "i"): guard hasName("id:", at: range.lowerBound) else { return false }
    case UInt8(ascii: "r"): guard hasName("retry:", at: range.lowerBound) else { return false }
    default: return false
    }
    return has(hints, in: range)
  }

  /// Whether a line begins with the name of a field of event streams (HTML 9.2.6).
  private func hasName(_ name: String, at start: Int) -> Bool {
    name.utf8.enumerated().allSatisfy { offset, letter in start + offset < end && byte(at: start + offset) == letter }
  }

  /// Takes the name that starts at the position.
  @inline(__always)
  mutating func readName() throws(HARReadError) -> MemberName {
    let start = position + 1
    let index = try findSpecial(from: start)
    if byte(at: index) == UInt8(ascii: "\"") {
      position = index + 1
      return name(in: start..<index)
    }
    return name(unescaped: try readEscapedString(from: start, firstEscape: index), at: start)
  }

  /// The index of the first quote, backslash or control character of the string.
  @inline(__always)
  private mutating func findSpecial(from start: Int) throws(HARReadError) -> Int {
    let index = nextSpecial(from: start)
    guard index < end else {
      position = end
      throw failure(.unexpectedEnd)
    }
    return index
  }

  /// A string with escapes is assembled in its own memory. A control character that should be an escape is kept. A NUL is not: it
  /// is a hole in the file, which was never written.
  private mutating func readEscapedString(from start: Int, firstEscape: Int) throws(HARReadError) -> String {
    var text: [UInt8] = []
    append(start..<firstEscape, to: &text)
    position = firstEscape
    while position < end {
      switch byte(at: position) {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        position += 1
        try readEscape(into: &text)
      case 1..<0x20:
        oddities.insert(.controlCharacter)
        text.append(byte(at: position))
        position += 1
      case 0:
        throw failure(.invalidString)
      default:
        let plainEnd = nextSpecial(from: position)
        append(position..<plainEnd, to: &text)
        position = plainEnd
      }
    }
    throw failure(.unexpectedEnd)
  }

  private mutating func readEscape(into text: inout [UInt8]) throws(HARReadError) {
    if let byte = try readShortEscape() { return text.append(byte) }
    text.append(contentsOf: try readUnicodeEscape().utf8)
  }

  /// Skips an escape; returns how many bytes its character has.
  private mutating func skipEscape() throws(HARReadError) -> Int {
    try readShortEscape() == nil ? try readUnicodeEscape().utf8.count : 1
  }

  /// An escape of one letter; `nil` for `\u`, whose digits are not taken.
  private mutating func readShortEscape() throws(HARReadError) -> UInt8? {
    guard position < end else { throw failure(.unexpectedEnd) }
    let letter = byte(at: position)
    let byte: UInt8? =
      switch letter {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
      case UInt8(ascii: "b"): 0x08
      case UInt8(ascii: "f"): 0x0C
      case UInt8(ascii: "n"): 0x0A
      case UInt8(ascii: "r"): 0x0D
      case UInt8(ascii: "t"): 0x09
      case UInt8(ascii: "u"): nil
      default: throw failure(.invalidString)
      }
    position += 1
    return byte
  }

  /// One escape or a pair of surrogates. A lone surrogate is not a character, but browsers write it where they cut a text:
  /// it becomes U+FFFD.
  mutating func readUnicodeEscape() throws(HARReadError) -> Character {
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
    if (0xD800..<0xE000).contains(first) { oddities.insert(.loneSurrogate) }
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
      guard let digit = Hexadecimal.value(of: byte(at: position)) else { throw failure(.invalidString) }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}

extension [UInt8] {
  /// The number of bytes at the end that begin a UTF-8 character but do not complete it.
  fileprivate var incompleteCharacterCount: Int {
    guard let start = suffix(4).lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return 0 }
    let length =
      switch self[start] {
      case 0xF0...: 4
      case 0xE0...: 3
      case 0xC0...: 2
      default: 1
      }
    return count - start < length ? count - start : 0
  }
}
