internal import TapelineBase

extension StaticString {
  func byte(at offset: Int) -> UInt8 {
    precondition(offset >= 0 && offset < utf8CodeUnitCount, "a byte of the literal is asked for")
    return unsafe utf8Start[offset]
  }
}

extension Span<UInt8> {
  /// Whether `literal` is at `start`, in exactly this spelling.
  func matches(_ literal: StaticString, at start: Int) -> Bool {
    guard start >= 0, count - start >= literal.utf8CodeUnitCount else { return false }
    for offset in 0..<literal.utf8CodeUnitCount where unsafe self[start + offset] != literal.utf8Start[offset] {
      return false
    }
    return true
  }

  func ends(with suffix: Span<UInt8>) -> Bool {
    guard count >= suffix.count else { return false }
    let start = count - suffix.count
    for index in suffix.indices where self[start + index] != suffix[index] {
      return false
    }
    return true
  }

  /// The end of the bytes for which `belongs` is true.
  func end(of belongs: (UInt8) -> Bool, from start: Int) -> Int {
    var index = start
    while index < count, belongs(self[index]) { index += 1 }
    return index
  }

  /// The name that ends before `end`, with the characters of parameter and attribute names.
  func word(before end: Int) -> Range<Int> {
    var start = end
    while start > 0, end - start < 64, TokenShapes.isWord(self[start - 1]) || self[start - 1] == UInt8(ascii: ".") { start -= 1 }
    return start..<end
  }

  func skippingBlanks(from start: Int) -> Int {
    end(of: { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }, from: start)
  }

  /// `end` without the blanks before it.
  func endBeforeBlanks(_ end: Int) -> Int {
    var end = end
    while end > 0, self[end - 1] == 0x20 || self[end - 1] == 0x09 || self[end - 1] == 0x0A || self[end - 1] == 0x0D { end -= 1 }
    return end
  }

  func endOfLine(from start: Int) -> Int {
    end(of: { $0 != 0x0A && $0 != 0x0D }, from: start)
  }

  /// The end of a parameter's value, in any kind of text.
  func endOfParameter(from start: Int) -> Int {
    var index = start
    while index < count, !isEndOfParameter(at: index) { index += 1 }
    return index
  }

  func isEndOfParameter(at index: Int) -> Bool {
    switch self[index] {
    case 0...0x20, UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: "#"), UInt8(ascii: "\""), UInt8(ascii: "'"),
      UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "`"):
      true
    default:
      false
    }
  }

  /// Whether the bytes of `range` end with `text` in either case; `text` is in lower case.
  func ends(with text: StaticString, in range: Range<Int>) -> Bool {
    range.count >= text.utf8CodeUnitCount && equals(text, in: range.upperBound - text.utf8CodeUnitCount..<range.upperBound)
  }

  /// `end` without the comment and the blanks before it: JSON with comments may have one between a name and its colon.
  func endBeforeComment(_ end: Int) -> Int {
    guard matches("*/", at: end - 2) else { return end }
    var start = end - 2
    while start > 0, end - start < 128, !matches("/*", at: start) { start -= 1 }
    return matches("/*", at: start) ? endBeforeBlanks(start) : end
  }
}

extension Span<UInt8> {
  func first(where isWanted: (UInt8) -> Bool) -> Int? {
    var index = 0
    while index < count {
      if isWanted(self[index]) { return index }
      index += 1
    }
    return nil
  }

  /// The bytes between `//` and `@` before `end`, in a URL or a network-path reference (RFC 3986, 3.2.1), even a malformed one:
  /// the text before the slashes need not be a scheme.
  func userinfo(before end: Int) -> Range<Int>? {
    guard let slash = first(of: UInt8(ascii: "/")), slash + 1 < end, self[slash + 1] == UInt8(ascii: "/") else { return nil }
    let start = slash + 2
    let authorityEnd = Swift.min(first(of: UInt8(ascii: "/"), from: start) ?? end, end)
    return AuthorityRanges(self, in: Swift.min(start, authorityEnd)..<authorityEnd).userinfo
  }
}

extension Span<UInt8> {
  /// A copy.
  var array: [UInt8] {
    var copy: [UInt8] = []
    copy.append(bytes: self)
    return copy
  }
}

extension String {
  /// External text: invalid UTF-8 is shown as replacement characters.
  init(bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension [UInt8] {
  mutating func append(literal: StaticString) {
    unsafe append(contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }
}
