/// A quotation mark as it stands in text: `"` or `'`, behind backslashes when all of it is in a string, in a string of a string, ….
///
/// At level 0 no backslash stands before the mark, then 1, 3, 7: each string that the text is put into doubles them and adds one.
struct Quote: Equatable {
  let mark: UInt8
  /// In how many strings the quoted text is.
  let level: Int

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

  /// How many backslashes stand before the mark.
  private var escapes: Int { (1 << level) - 1 }

  /// The bytes of the mark with its backslashes.
  var size: Int { escapes + 1 }

  /// Appends the mark as it stands in the text.
  func append(to output: inout [UInt8]) {
    output.append(contentsOf: repeatElement(UInt8(ascii: "\\"), count: escapes))
    output.append(mark)
  }

  /// What stands between the mark that begins at `start` and the next one of its level, or of a string around it, or the end of the text.
  func content(from start: Int, in text: Span<UInt8>) -> Range<Int> {
    let lower = start + size
    // A backslash of the content is `2 << level` of them here; what is left over belongs to the mark.
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

  /// What stands before the mark that ends before `end`; `nil` when it is longer than `longest`.
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
