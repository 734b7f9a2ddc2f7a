internal import TapelineText

/// Members of JSON, and lines of YAML, of configuration and of HTTP: `name: value`.
extension SecretFinder {
  /// `"name": value`, also with escaped quotes, because the JSON may be inside a string; `name: "value"`; a line `Name: value`.
  mutating func member(at colon: Int, in text: Span<UInt8>, by names: SecretNames) -> Finding? {
    let end = text.endBeforeBlanks(colon)
    guard end > 0 else { return nil }
    if let quote = Quote(endingAt: end, in: text) {
      guard let name = quote.content(before: end, in: text, longest: Self.longestName) else { return nil }
      if names.contains(text.extracting(name)) { return value(after: colon, quote, in: text) }
      return text.equals("code", in: name) ? code(after: colon, in: text) : nil
    }
    guard end == colon else { return nil }
    let name = TextLine.name(before: end, in: text)
    guard !name.isEmpty else { return nil }
    let valueStart = text.skippingBlanks(from: colon + 1)
    let isQuoted = Quote(beginningAt: valueStart, in: text) != nil
    // For most names, the text around them already excludes them.
    guard isQuoted || style == .commandLine || TextLine.mayBegin(at: name.lowerBound, in: text) else { return nil }
    let isSecret = names.contains(text.extracting(name)) || style == .commandLine && text.ends(with: "cookie", in: name)
    guard isSecret else { return nil }
    if isQuoted, let string = quoted(at: valueStart, in: text) { return Finding(range: string) }
    let start = text.end(of: { $0 == 0x20 || $0 == 0x09 }, from: colon + 1)
    switch style {
    case .commandLine:
      return Finding(range: start..<CommandLineText.endOfField(from: start, named: name, in: text))
    case .document:
      return TextLine(beginningAt: name.lowerBound, in: text)?.value(from: start, in: text).map { Finding(range: $0) }
    }
  }

  /// The value of a member with a secret name.
  private mutating func value(after colon: Int, _ quote: Quote, in text: Span<UInt8>) -> Finding? {
    var start = text.skippingBlanks(from: colon + 1)
    // In an event stream, the value may continue in the next line, after the field name `data:`.
    if text.matches("data:", at: start) { start = text.skippingBlanks(from: start + 5) }
    guard start < text.count else { return nil }
    switch text[start] {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      // Within a secret tree, everything is searched anyway.
      if start >= secretTree?.end ?? 0 { secretTree = SecretTree(end: text.endOfTree(from: start, quote), quote: quote) }
      return nil
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      return number(from: start, quote, in: text)
    default:
      return quoted(at: start, in: text).map { Finding(range: $0) }
    }
  }

  /// A number, which may be negative or have a fraction; a small number is a count, not a code.
  private func number(from start: Int, _ quote: Quote, in text: Span<UInt8>) -> Finding? {
    let end = text.end(of: Echoes.isOfNumber, from: start)
    var digits = 0
    for place in start..<end where Byte.isDigit(text[place]) { digits += 1 }
    return digits >= 4 ? Finding(range: start..<end, quotes: quote) : nil
  }

  /// `"code": "…"`, the answer of an authorization server passed on in JSON.
  private func code(after colon: Int, in text: Span<UInt8>) -> Finding? {
    guard let value = quoted(at: text.skippingBlanks(from: colon + 1), in: text) else { return nil }
    return TokenShapes.isAuthorizationCode(text.extracting(value), atLeast: 16) ? Finding(range: value) : nil
  }

  // MARK: Everything below a secret name

  mutating func stringInSecretTree(at mark: Int, in text: Span<UInt8>) -> Finding? {
    guard let tree = secretTree, mark < tree.end, let quote = Quote(endingAt: mark + 1, in: text), quote == tree.quote else {
      return nil
    }
    let content = quote.content(from: mark + 1 - quote.size, in: text)
    let end = min(content.upperBound + quote.size, text.count)
    index = max(index, end)
    let after = text.skippingBlanks(from: end)
    // A member's name, which stays.
    if after < text.count, text[after] == UInt8(ascii: ":") {
      // The colon is examined next: the value of the member may be a tree of its own.
      return nil
    }
    return Finding(range: content)
  }

  func numberInSecretTree(at start: Int, in text: Span<UInt8>) -> Finding? {
    guard let tree = secretTree, start < tree.end else { return nil }
    if start > 0, TokenShapes.isWord(text[start - 1]) || text[start - 1] == UInt8(ascii: ".") { return nil }
    return number(from: start, tree.quote, in: text)
  }
}

/// A line `name: value` or `name=value`, which may be indented, a list item, or a shell command.
struct TextLine {
  /// Blanks before the name.
  private let indent: Int
  /// Whether the name is the first thing in its line.
  private let isPlain: Bool
  /// Whether the line is one of several in a string, separated by `\n`.
  private let isEscaped: Bool

  private static let longestStart = 48

  /// The name that ends before `end`, without the `n` of an escaped line end before the name.
  static func name(before end: Int, in text: Span<UInt8>) -> Range<Int> {
    let name = text.word(before: end)
    guard isEscapedLineEnd(name.lowerBound + 1, in: text), !name.isEmpty else { return name }
    return name.lowerBound + 1..<name.upperBound
  }

  private static func isEscapedLineEnd(_ end: Int, in text: Span<UInt8>) -> Bool {
    text.matches("\\n", at: end - 2)
  }

  /// Whether the text right before a name allows the name to begin a line.
  static func mayBegin(at start: Int, in text: Span<UInt8>) -> Bool {
    guard start > 0 else { return true }
    switch text[start - 1] {
    case 0x09, 0x0A, 0x0D, 0x20: return true
    default: return isEscapedLineEnd(start, in: text)
    }
  }

  /// `nil` when other text comes before the name.
  init?(beginningAt start: Int, in text: Span<UInt8>) {
    var place = start
    var isPlain = true
    while place > 0 {
      guard start - place < Self.longestStart else { return nil }
      switch text[place - 1] {
      case 0x0A, 0x0D:
        (indent, self.isPlain, isEscaped) = (start - place, isPlain && place == start, false)
        return
      case UInt8(ascii: "n") where Self.isEscapedLineEnd(place, in: text):
        (indent, self.isPlain, isEscaped) = (start - place, isPlain && place == start, true)
        return
      case 0x20, 0x09:
        place -= 1
      default:
        let end = place
        while place > 0, text[place - 1] > 0x20, start - place < Self.longestStart, !Self.isEscapedLineEnd(place, in: text) {
          place -= 1
        }
        guard Self.isCommand(place..<end, in: text) else { return nil }
        isPlain = false
      }
    }
    (indent, self.isPlain, isEscaped) = (start, isPlain && start == 0, false)
  }

  private static let commands: [StaticString] = [
    "export", "set", "setx", "env", "arg", "local", "readonly", "declare", "typeset", "-x", "-gx", "-", "+", "*", ">", "$", "#",
    "//",
    "data:",
  ]

  /// Whether a word may come before a name: `export NAME=…`, `- NAME=…`, `data: name=…`.
  private static func isCommand(_ word: Range<Int>, in text: Span<UInt8>) -> Bool {
    commands.contains { text.equals($0, in: word) }
  }

  /// The rest of the line from `start` on; if it is only a block indicator (YAML, 8.1), the lines below.
  func value(from start: Int, in text: Span<UInt8>) -> Range<Int>? {
    var end = start
    while end < text.count, text[end] != 0x0A, text[end] != 0x0D {
      if isEscaped, text[end] == UInt8(ascii: "\\") || text[end] == UInt8(ascii: "\"") { break }
      end += 1
    }
    end = max(start, text.endBeforeBlanks(end))
    guard start < end else { return nil }
    if text[start] == UInt8(ascii: "|") || text[start] == UInt8(ascii: ">"), end - start <= 3 {
      return block(from: end, in: text)
    }
    // In a program, a line with a secret name is more likely code.
    return isPlain || !Self.isCode(start..<end, in: text) ? start..<end : nil
  }

  static func isCode(_ value: Range<Int>, in text: Span<UInt8>) -> Bool {
    switch text[value.upperBound - 1] {
    case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "("), UInt8(ascii: ")"):
      return true
    default: return false
    }
  }

  /// The lines that are indented further than the name.
  private func block(from start: Int, in text: Span<UInt8>) -> Range<Int>? {
    let first = text.skippingBlanks(from: start)
    var end = start
    var place = text.endOfLine(from: start)
    while place < text.count {
      let lineStart = place + 1
      let content = text.end(of: { $0 == 0x20 || $0 == 0x09 }, from: lineStart)
      let lineEnd = text.endOfLine(from: content)
      if content < lineEnd {
        guard content - lineStart > indent else { break }
        end = lineEnd
      }
      place = lineEnd
    }
    return first < end ? first..<end : nil
  }
}
