/// A quotation mark in text: `"` or `'`, with backslashes before it when the text is inside a string, in a string of a string, ….
///
/// At level 0 the mark has no backslash before it, then 1, 3, 7: each enclosing string doubles the backslashes and adds one.
struct Quote: Equatable {
  let mark: UInt8
  /// How many strings enclose the quoted text.
  let level: Int

  /// As in a text that is in no string.
  static let plain = Quote(mark: UInt8(ascii: "\""), level: 0)

  private init(mark: UInt8, level: Int) {
    self.mark = mark
    self.level = level
  }

  private static let deepest = 5
  private static let mostEscapes = (1 << deepest) - 1

  /// The mark that begins at `index`, with its backslashes.
  init?(beginningAt index: Int, in text: Span<UInt8>) {
    var place = index
    while place < text.count, place - index <= Self.mostEscapes, text[place] == UInt8(ascii: "\\") { place += 1 }
    guard place < text.count, Self.isMark(text[place]), let level = Self.level(escapes: place - index) else { return nil }
    mark = text[place]
    self.level = level
  }

  /// The mark that ends before `end`.
  init?(endingAt end: Int, in text: Span<UInt8>) {
    guard end > 0, Self.isMark(text[end - 1]) else { return nil }
    var escapes = 0
    while escapes <= Self.mostEscapes, escapes + 1 < end, text[end - 2 - escapes] == UInt8(ascii: "\\") { escapes += 1 }
    guard let level = Self.level(escapes: escapes) else { return nil }
    mark = text[end - 1]
    self.level = level
  }

  private static func level(escapes: Int) -> Int? {
    guard escapes <= mostEscapes, (escapes + 1).nonzeroBitCount == 1 else { return nil }
    return (escapes + 1).trailingZeroBitCount
  }

  /// How many backslashes come before the mark.
  private var escapes: Int { (1 << level) - 1 }

  /// The bytes of the mark with its backslashes.
  var size: Int { escapes + 1 }

  /// Appends the mark with its backslashes.
  func append(to output: inout [UInt8]) {
    output.append(contentsOf: repeatElement(UInt8(ascii: "\\"), count: escapes))
    output.append(mark)
  }

  /// The text after the mark that begins at `start`, up to the next mark of its level or of an enclosing string, or to the end.
  func content(from start: Int, in text: Span<UInt8>) -> Range<Int> {
    let lower = start + size
    // A backslash of the content is `2 << level` backslashes here; the remainder belongs to the mark.
    let mask = (2 << level) - 1
    var run = 0
    var index = lower
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: "\\") {
        run += 1
      } else {
        if byte == mark, run & mask <= escapes { return lower..<index - (run & mask) }
        run = 0
      }
      index += 1
    }
    return min(lower, text.count)..<text.count
  }

  /// The text before the mark that ends before `end`; `nil` when it is longer than `longest`.
  func content(before end: Int, in text: Span<UInt8>, longest: Int) -> Range<Int>? {
    let upper = end - size
    var lower = upper
    while lower > 0, upper - lower <= longest {
      if text[lower - 1] == mark { return lower..<upper }
      lower -= 1
    }
    return nil
  }

  private static func isMark(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
  }
}
