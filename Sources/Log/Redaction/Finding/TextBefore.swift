internal import TapelineBase

/// The text right before a place, with every escape undone: the last byte of an escape is often a letter or a digit, but the
/// character that it means ends a word all the same.
enum TextBefore {
  /// Whether a word may begin at `start`.
  static func beginsWord(_ start: Int, in text: Span<UInt8>) -> Bool {
    guard start > 0, TokenShapes.isWord(text[start - 1]) else { return true }
    return escapeEnds(at: start, in: text)
  }

  /// A word without the part of an escape at its beginning: `password` in `\npassword`, `%26password` and `=3Dpassword`.
  static func withoutEscape(_ word: Range<Int>, in text: Span<UInt8>) -> Range<Int> {
    guard word.lowerBound > 0, !word.isEmpty, opensEscape(text[word.lowerBound - 1]) else { return word }
    let limit = min(word.upperBound, word.lowerBound + longestRest)
    var start = word.lowerBound + 1
    while start <= limit {
      // The longest escape counts: `\012` ends behind its third digit.
      if escapeEnds(at: start, in: text), start == limit || !escapeEnds(at: start + 1, in: text) {
        return min(start, word.upperBound)..<word.upperBound
      }
      start += 1
    }
    return word
  }

  /// The most word bytes of an escape: those of `%25252522` and `\U0000000A`.
  private static let longestRest = 9

  private static func opensEscape(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\\"), UInt8(ascii: "%"), UInt8(ascii: "="), UInt8(ascii: "["), UInt8(ascii: ";"): true
    default: false
    }
  }

  /// Whether the escape of a character that is no part of a word ends before `end`.
  private static func escapeEnds(at end: Int, in text: Span<UInt8>) -> Bool {
    let last = text[end - 1]
    if end >= 2, text[end - 2] == UInt8(ascii: "\\"), isEscapeLetter(last) { return true }
    if last == UInt8(ascii: "m") { return colourEnds(at: end, in: text) }
    guard ByteSet.hexadecimal.contains(last) else { return false }
    return hexadecimalEscapeEnds(at: end, in: text) || octalEscapeEnds(at: end, in: text)
  }

  /// JSON, C, Python and shells.
  private static func isEscapeLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a"), UInt8(ascii: "b"), UInt8(ascii: "e"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"),
      UInt8(ascii: "t"), UInt8(ascii: "v"), UInt8(ascii: "0"):
      true
    default: false
    }
  }

  /// `%22`, `%2522`, `=22` (RFC 2045 6.7), `\x22`, `\u0022`, `\U00000022`.
  private static func hexadecimalEscapeEnds(at end: Int, in text: Span<UInt8>) -> Bool {
    guard end >= 3, let byte = value(of: end - 2..<end, in: text), !(byte < 0x80 && TokenShapes.isWord(UInt8(byte))) else {
      return false
    }
    switch text[end - 3] {
    case UInt8(ascii: "%"): return true
    case UInt8(ascii: "="): return !Byte.isLowercase(text[end - 1]) && !Byte.isLowercase(text[end - 2])
    case UInt8(ascii: "x"), UInt8(ascii: "X"): return end >= 4 && text[end - 4] == UInt8(ascii: "\\")
    default: break
    }
    var start = end - 2
    while start >= 2, end - start <= 8, text.matches("25", at: start - 2) { start -= 2 }
    if start > 0, start < end - 2, text[start - 1] == UInt8(ascii: "%") { return true }
    for (letter, digits) in [(UInt8(ascii: "u"), 4), (UInt8(ascii: "U"), 8)] where end >= digits + 2 {
      guard text[end - digits - 1] == letter, text[end - digits - 2] == UInt8(ascii: "\\"),
        let scalar = value(of: end - digits..<end, in: text)
      else { continue }
      return scalar >= 0x80 || !TokenShapes.isWord(UInt8(scalar))
    }
    return false
  }

  /// `\12` and `\012`.
  private static func octalEscapeEnds(at end: Int, in text: Span<UInt8>) -> Bool {
    var value = 0
    var place = 1
    for size in 1...3 where end > size {
      let digit = text[end - size]
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "7") else { return false }
      value += Int(digit - UInt8(ascii: "0")) * place
      place *= 8
      if text[end - size - 1] == UInt8(ascii: "\\") { return value >= 0x80 || !TokenShapes.isWord(UInt8(value)) }
    }
    return false
  }

  /// `ESC [ 31 m`, which sets a colour (ECMA-48 8.3.117).
  private static func colourEnds(at end: Int, in text: Span<UInt8>) -> Bool {
    var start = end - 1
    while start > 0, end - start < 12, Byte.isDigit(text[start - 1]) || text[start - 1] == UInt8(ascii: ";") { start -= 1 }
    return start > 0 && text[start - 1] == UInt8(ascii: "[")
  }

  private static func value(of digits: Range<Int>, in text: Span<UInt8>) -> Int? {
    var value = 0
    for index in digits {
      guard let digit = Hexadecimal.value(of: text[index]) else { return nil }
      value = value << 4 | Int(digit)
    }
    return value
  }
}
