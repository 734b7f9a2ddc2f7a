internal import TapelineBase

/// Members of JSON, and lines of YAML, of configuration and of HTTP: `name: value`.
extension SecretFinder {
  /// `"name": value`, also with escaped quotes, because the JSON may be inside a string; `name: "value"`; a line `Name: value`.
  mutating func member(at colon: Int, in text: Span<UInt8>, by names: SecretNames) -> Finding? {
    let end = text.endBeforeComment(text.endBeforeBlanks(colon))
    guard end > 0 else { return nil }
    if let quote = Quote(endingAt: end, in: text) {
      guard let name = quote.content(before: end, in: text, longest: Self.longestName) else { return nil }
      return quotedMember(name, quote, colon, in: text, by: names)
    }
    if text[end - 1] == UInt8(ascii: ";") || text[end - 1] == UInt8(ascii: "2") || text[end - 1] == UInt8(ascii: "7"),
      let value = spelledMember(endingAt: end, colon, in: text, by: names)
    {
      return Finding(range: value)
    }
    guard end == colon else { return complexKey(endingAt: end, colon, in: text, by: names) }
    return plainMember(at: colon, in: text, by: names)
  }

  private mutating func quotedMember(
    _ name: Range<Int>, _ quote: Quote, _ colon: Int, in text: Span<UInt8>, by names: SecretNames
  ) -> Finding? {
    // A path, as in a description of an interface.
    guard !name.isEmpty, text[name.lowerBound] != UInt8(ascii: "/") else { return nil }
    if let strength = names.strength(ofEscaped: text.extracting(name)) {
      return value(after: colon, quote, strength, named: name, in: text)
    }
    guard name.count <= Self.longestRoleName else { return nil }
    if text.equals("code", in: name) { return code(after: colon, in: text) }
    if Self.isCookie(name, in: text) || text.equals("cookies", in: name) {
      cookies(after: colon, quote, areSet: text.starts(with: "set", in: name), in: text)
      return nil
    }
    return pairValue(named: name, quote, colon, in: text, by: names) ?? keyParameter(named: name, quote, colon, in: text)
  }

  /// The value of a member with a secret name.
  private mutating func value(
    after colon: Int, _ quote: Quote, _ strength: SecretNames.Strength, named name: Range<Int>, in text: Span<UInt8>
  ) -> Finding? {
    var start = text.skippingBlanks(from: colon + 1)
    // In an event stream, the value may continue in the next line, after the field name `data:`.
    if text.matches("data:", at: start) { start = text.skippingBlanks(from: start + 5) }
    guard start < text.count else { return nil }
    switch text[start] {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard !text.isSchema(at: start) else { return nil }
      secretTree = SecretTree(strength == .sure ? .all : .likely, in: quote)
      index = start
      return nil
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      return strength == .sure ? number(from: start, quote, in: text) : nil
    default:
      guard let string = quoted(at: start, in: text) else { return nil }
      if LikelySecret.isVersionRange(text.extracting(string)) { return nil }
      // A package's signature, by a key that is public.
      if text.starts(with: "sig", in: name), sibling("keyid", of: name, quote, in: text) { return nil }
      return strength == .sure || LikelySecret.isLikely(text.extracting(string)) ? Finding(range: string) : nil
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

  // MARK: Names without quotes

  private mutating func plainMember(at colon: Int, in text: Span<UInt8>, by names: SecretNames) -> Finding? {
    var name = TextBefore.withoutEscape(text.word(before: colon), in: text)
    guard !name.isEmpty else { return nil }
    let valueStart = text.skippingBlanks(from: colon + 1)
    let isQuoted = Quote(beginningAt: valueStart, in: text) != nil
    if isQuoted, Byte.isDigit(text[colon - 1]) { return serialized(at: colon, valueStart, in: text, by: names) }
    // "Your password is: …"
    if text.equals("is", in: name) { name = text.word(before: text.endBeforeBlanks(name.lowerBound)) }
    if Self.isCookie(name, in: text), style == .document {
      cookieLine(from: colon + 1, areSet: text.ends(with: "set-cookie", in: name), in: text)
      return nil
    }
    let isSecret = style == .commandLine && text.ends(with: "cookie", in: name)
    guard let strength = isSecret ? .sure : names.strength(of: text.extracting(name)) else {
      return valueLine(named: name, colon, in: text, by: names)
    }
    if isQuoted, let string = quoted(at: valueStart, in: text) {
      return strength == .sure || LikelySecret.isLikely(text.extracting(string)) ? Finding(range: string) : nil
    }
    let start = text.end(of: { $0 == 0x20 || $0 == 0x09 }, from: colon + 1)
    switch style {
    case .commandLine:
      return Finding(range: start..<CommandLineText.endOfField(from: start, named: name, in: text))
    case .document:
      return documentValue(of: name, strength, from: start, in: text, by: names)
    }
  }

  private mutating func documentValue(
    of name: Range<Int>, _ strength: SecretNames.Strength, from start: Int, in text: Span<UInt8>, by names: SecretNames
  ) -> Finding? {
    if start < text.count, text[start] == UInt8(ascii: "{") || text[start] == UInt8(ascii: "[") {
      guard !text.isSchema(at: start) else { return nil }
      secretTree = SecretTree(.likely, in: nil)
      index = start
      return nil
    }
    // For most names, the text around them already excludes them.
    if TextLine.mayBegin(at: name.lowerBound, in: text), let line = TextLine(beginningAt: name.lowerBound, in: text) {
      guard let value = line.value(from: start, in: text) else {
        // A member of a block is in all blocks around it, too.
        guard start >= blockEnd else { return nil }
        let block = line.leaves(below: start, strength, in: text)
        blockEnd = block.end
        for leaf in block.leaves { putAhead(leaf) }
        return nil
      }
      // In a program, the value may be called like the name.
      if names.strength(of: text.extracting(value)) != nil { return nil }
      return strength == .sure || LikelySecret.isLikely(text.extracting(value)) ? Finding(range: value) : nil
    }
    return inlineValue(of: name, from: start, in: text).map { Finding(range: $0) }
  }

  /// A value in the middle of a line: as it may be code or a sentence, it must look like a secret.
  func inlineValue(of name: Range<Int>, from start: Int, in text: Span<UInt8>) -> Range<Int>? {
    guard TextBefore.beginsWord(name.lowerBound, in: text) || text[name.lowerBound - 1] == UInt8(ascii: ".") else { return nil }
    var start = start
    if text.ends(with: "authorization", in: name) {
      let shown = text.extracting(first: start + Self.longestProbe)
      let word = start..<max(start, shown.end(of: { $0 > 0x20 }, from: start))
      if Redactor.isScheme(text, word), word.upperBound < text.count { start = word.upperBound + 1 }
    }
    // Only of what is taken, more is looked at.
    let shown = text.extracting(first: start + Self.longestProbe)
    let probe = shown.end(of: { !Self.endsInlineValue($0) }, from: start)
    guard start < probe, LikelySecret.isLikely(text.extracting(start..<probe)) else { return nil }
    let end = text.end(of: { !Self.endsInlineValue($0) }, from: probe)
    return end == text.count || text[end] != UInt8(ascii: "(") && text[end] != UInt8(ascii: "[") ? start..<end : nil
  }

  private static let longestProbe = 256

  private static func endsInlineValue(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"),
      UInt8(ascii: ">"),
      UInt8(ascii: "\\"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"),
      UInt8(ascii: "}"), UInt8(ascii: "|"), UInt8(ascii: "&"), UInt8(ascii: "`"):
      true
    default: false
    }
  }

  /// `? password` and `: value` in the next line (YAML, 8.2.2).
  private func complexKey(endingAt end: Int, _ colon: Int, in text: Span<UInt8>, by names: SecretNames) -> Finding? {
    guard text[colon - 1] == 0x0A, style == .document else { return nil }
    let name = text.word(before: end)
    guard text.matches("? ", at: name.lowerBound - 2), names.contains(text.extracting(name)) else { return nil }
    let value = text.end(of: { $0 == 0x20 }, from: colon + 1)..<text.endOfLine(from: colon + 1)
    return value.isEmpty ? nil : Finding(range: value)
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

  private static func isEscapedLineEnd(_ end: Int, in text: Span<UInt8>) -> Bool {
    text.matches("\\n", at: end - 2) || text.matches("\\r", at: end - 2)
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
      case UInt8(ascii: "n") where Self.isEscapedLineEnd(place, in: text),
        UInt8(ascii: "r") where Self.isEscapedLineEnd(place, in: text):
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

  /// The values in the lines below a name without a value: those that are indented further, and the items of a list (YAML, 8.2).
  func leaves(below start: Int, _ strength: SecretNames.Strength, in text: Span<UInt8>) -> (leaves: [Range<Int>], end: Int) {
    guard isPlain, !isEscaped else { return ([], 0) }
    var leaves: [Range<Int>] = []
    var place = text.endOfLine(from: start)
    while place < text.count, leaves.count < Self.mostLeaves {
      let lineStart = place + (text.matches("\r\n", at: place) ? 2 : 1)
      var content = text.end(of: { $0 == 0x20 }, from: lineStart)
      let lineEnd = text.endOfLine(from: min(content, text.count))
      place = lineEnd
      guard content < lineEnd else { continue }
      let isItem = text.matches("- ", at: content)
      guard content - lineStart > indent || isItem && content - lineStart == indent else { break }
      if isItem { content = text.end(of: { $0 == 0x20 }, from: content + 2) }
      if let leaf = Self.leaf(in: content..<max(content, text.endBeforeBlanks(lineEnd)), isItem: isItem, in: text) {
        if strength == .sure || LikelySecret.isLikely(text.extracting(leaf)) { leaves.append(leaf) }
      }
    }
    return (leaves, place)
  }

  private static let mostLeaves = 1024

  /// The value in `name: value` or `- value`, without its quotes.
  private static func leaf(in line: Range<Int>, isItem: Bool, in text: Span<UInt8>) -> Range<Int>? {
    guard !line.isEmpty, text[line.lowerBound] != UInt8(ascii: "#"), !isCode(line, in: text) else { return nil }
    let nameEnd = min(text.end(of: { TokenShapes.isWord($0) || $0 == UInt8(ascii: ".") }, from: line.lowerBound), line.upperBound)
    var start = line.lowerBound
    if nameEnd < line.upperBound, text[nameEnd] == UInt8(ascii: ":") {
      guard nameEnd + 1 < line.upperBound, text[nameEnd + 1] == 0x20 else { return nil }
      // A schema describes the value instead of having it.
      if text.equals("type", in: start..<nameEnd) || text.equals("description", in: start..<nameEnd) { return nil }
      start = text.end(of: { $0 == 0x20 }, from: nameEnd + 1)
    } else if !isItem {
      return nil
    }
    guard start < line.upperBound,
      ![UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "|"), UInt8(ascii: "&")].contains(text[start])
    else { return nil }
    if let quote = Quote(beginningAt: start, in: text) {
      let content = quote.content(from: start, in: text)
      return content.isEmpty || content.upperBound > line.upperBound ? nil : content
    }
    let value = text.extracting(start..<line.upperBound)
    let isConstant = constants.contains { value.equals($0, in: value.indices) }
    return isConstant || value.count < 4 && value.end(of: Echoes.isOfNumber, from: 0) == value.count
      ? nil : start..<line.upperBound
  }

  private static let constants: [StaticString] = ["true", "false", "null", "~", "yes", "no"]
}
