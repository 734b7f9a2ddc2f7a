/// A quotation mark as it stands in text: `"`, `'`, or either behind a backslash because all of it is in a string.
struct Quote {
  private let mark: UInt8
  private let isEscaped: Bool

  /// The mark that begins at `index`.
  init?(beginningAt index: Int, in text: Span<UInt8>) {
    guard index < text.count else { return nil }
    isEscaped = text[index] == UInt8(ascii: "\\")
    let place = isEscaped ? index + 1 : index
    guard place < text.count, Self.isMark(text[place]) else { return nil }
    mark = text[place]
  }

  /// The mark that ends before `end`.
  init?(endingAt end: Int, in text: Span<UInt8>) {
    guard end > 0, Self.isMark(text[end - 1]) else { return nil }
    mark = text[end - 1]
    isEscaped = end > 1 && text[end - 2] == UInt8(ascii: "\\")
  }

  private var size: Int { isEscaped ? 2 : 1 }

  /// What stands between the mark that begins at `start` and the next one, or the end of the text.
  func content(from start: Int, in text: Span<UInt8>) -> Range<Int> {
    let lower = start + size
    var index = lower
    while index < text.count {
      if text[index] == UInt8(ascii: "\\") {
        if isEscaped, index + 1 < text.count, text[index + 1] == mark { return lower..<index }
        // Within escaped text, `\\\"` is a mark that belongs to the content.
        index += isEscaped && text.starts(with: "\\\\\\", in: index..<text.count) ? 4 : 2
      } else if text[index] == mark {
        return lower..<index
      } else {
        index += 1
      }
    }
    return lower..<text.count
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

  private static func isMark(_ octet: UInt8) -> Bool {
    octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "'")
  }
}
