internal import TapelineText

/// Finds the encoding that a text declares for itself.
enum CharsetSniffer {
  /// Only this many bytes of a document are searched, as in browsers (HTML, 13.2.3.2).
  private static let prefixSize = 1024

  /// The encoding of a byte order mark, and the mark's length. The mark takes precedence over any label (WHATWG Encoding, 6).
  static func byteOrderMark(of text: Span<UInt8>) -> (charset: Charset, size: Int)? {
    guard text.count >= 2 else { return nil }
    switch (text[0], text[1]) {
    case (0xFF, 0xFE): return (.utf16LittleEndian, 2)
    case (0xFE, 0xFF): return (.utf16BigEndian, 2)
    default: return nil
    }
  }

  /// The label in `<meta charset=…>`, `<meta … content="…; charset=…">`, `<?xml … encoding="…">` or CSS's `@charset "…"`.
  static func declaration(in text: Span<UInt8>) -> Charset? {
    let end = min(text.count, prefixSize)
    var index = 0
    while index < end {
      let rest = index..<end
      if text.starts(with: "charset", in: rest), let charset = label(text, after: index + 7, before: end) { return charset }
      if text.starts(with: "encoding", in: rest), let charset = label(text, after: index + 8, before: end) { return charset }
      index += 1
    }
    return nil
  }

  /// The label after `=`, blanks and quotes.
  private static func label(_ text: Span<UInt8>, after start: Int, before end: Int) -> Charset? {
    var lower = start
    while lower < end, isBeforeLabel(text[lower]) { lower += 1 }
    guard lower > start else { return nil }
    var upper = lower
    while upper < end, isLabel(text[upper]) { upper += 1 }
    return Charset(label: text.extracting(lower..<upper))
  }

  private static func isBeforeLabel(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "=") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == 0x20
  }

  private static func isLabel(_ byte: UInt8) -> Bool {
    ByteSet.alphanumeric.contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
  }
}
