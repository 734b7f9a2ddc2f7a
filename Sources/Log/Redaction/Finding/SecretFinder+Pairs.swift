internal import TapelineBase

/// Names and values that stand apart: members for either, arrays, calls, statements.
extension SecretFinder {
  /// The longest name of a member that says what another member is.
  static let longestRoleName = 16

  private static let nameRoles: [StaticString] = [
    "name", "key", "field", "header", "path", "param", "parameter", "property", "variable", "id", "label", "k", "n", "attribute",
  ]
  private static let valueRoles: [StaticString] = ["value", "val", "v", "default", "content", "text", "data", "defaultvalue"]
  /// How far the other member of a pair may be.
  private static let reach = 256

  /// `{"name": "password", "value": "…"}`, in either order.
  func pairValue(named name: Range<Int>, _ quote: Quote, _ colon: Int, in text: Span<UInt8>, by names: SecretNames) -> Finding? {
    guard Self.valueRoles.contains(where: { text.equals($0, in: name) }) else { return nil }
    let start = text.skippingBlanks(from: colon + 1)
    guard let value = quoted(at: start, in: text), !value.isEmpty else { return nil }
    let found = siblings(of: name, valueEnd: value.upperBound, quote, in: text) { role, member in
      guard Self.nameRoles.contains(where: { text.equals($0, in: role) }) else { return false }
      let name = Self.lastSegment(of: member, in: text)
      return names.contains(text.extracting(name)) || Self.isCookie(name, in: text)
    }
    return found ? Finding(range: value) : nil
  }

  /// Whether the object with the member `name` also has one that is called `other`.
  func sibling(_ other: StaticString, of name: Range<Int>, _ quote: Quote, in text: Span<UInt8>) -> Bool {
    siblings(of: name, valueEnd: name.upperBound, quote, in: text) { role, _ in text.equals(other, in: role) }
  }

  /// Private parts of a key in JSON (RFC 7517, RFC 7518 6): `"d"` beside `"kty"`.
  func keyParameter(named name: Range<Int>, _ quote: Quote, _ colon: Int, in text: Span<UInt8>) -> Finding? {
    guard name.count <= 2, Self.keyParameters.contains(where: { text.equals($0, in: name) }),
      let value = quoted(at: text.skippingBlanks(from: colon + 1), in: text), value.count >= 16,
      text.extracting(value).end(of: TokenShapes.isWord, from: 0) == value.count,
      siblings(
        of: name, valueEnd: value.upperBound, quote, in: text, reach: 4 * Self.reach, { role, _ in text.equals("kty", in: role) })
    else { return nil }
    return Finding(range: value)
  }

  private static let keyParameters: [StaticString] = ["d", "p", "q", "dp", "dq", "qi", "k"]

  /// Whether `isWanted` holds for one of the members around, with the name and the content of its string.
  private func siblings(
    of name: Range<Int>, valueEnd: Int, _ quote: Quote, in text: Span<UInt8>, reach: Int = reach,
    _ isWanted: (Range<Int>, Range<Int>) -> Bool
  ) -> Bool {
    var start = name.lowerBound
    var depth = 0
    while start > 0, name.lowerBound - start < reach, depth >= 0 {
      start -= 1
      if text[start] == UInt8(ascii: "}") { depth += 1 } else if text[start] == UInt8(ascii: "{") { depth -= 1 }
    }
    // A window that begins within a string still has whole members behind it.
    let before = start..<max(start, name.lowerBound - quote.size)
    let after = min(valueEnd + quote.size, text.count)..<min(valueEnd + quote.size + reach, text.count)
    return member(in: before, quote, of: text, isWanted) || member(in: after, quote, of: text, isWanted)
  }

  private func member(
    in range: Range<Int>, _ quote: Quote, of text: Span<UInt8>, _ isWanted: (Range<Int>, Range<Int>) -> Bool
  ) -> Bool {
    let shown = text.extracting(first: range.upperBound)
    var index = range.lowerBound
    var name: Range<Int>?
    while index < range.upperBound {
      if shown[index] == UInt8(ascii: "}") { return false }
      guard let found = Quote(beginningAt: index, in: shown), found == quote else {
        index += 1
        continue
      }
      let content = found.content(from: index, in: shown)
      index = min(content.upperBound + found.size, range.upperBound)
      let next = shown.skippingBlanks(from: index)
      if next < range.upperBound, shown[next] == UInt8(ascii: ":") {
        name = content
        // The member may have no string as its value.
        if isWanted(content, content.upperBound..<content.upperBound) { return true }
      } else if let role = name {
        if isWanted(role, content) { return true }
        name = nil
      }
    }
    return false
  }

  /// The name in a path, as JSON Patch (RFC 6902) has it.
  private static func lastSegment(of path: Range<Int>, in text: Span<UInt8>) -> Range<Int> {
    var start = path.upperBound
    while start > path.lowerBound, text[start - 1] != UInt8(ascii: "/") { start -= 1 }
    return start..<path.upperBound
  }

  // MARK: Lines

  /// `value: …` in YAML, below or above `name: password` with the same indent.
  func valueLine(named name: Range<Int>, _ colon: Int, in text: Span<UInt8>, by names: SecretNames) -> Finding? {
    guard style == .document, text.equals("value", in: name) || text.equals("default", in: name),
      TextLine.mayBegin(at: name.lowerBound, in: text), let line = TextLine(beginningAt: name.lowerBound, in: text),
      let value = line.value(from: text.end(of: { $0 == 0x20 }, from: colon + 1), in: text)
    else { return nil }
    let before = text.endBeforeBlanks(Self.startOfLine(name.lowerBound, in: text))
    let after = min(text.endOfLine(from: value.upperBound) + 1, text.count)
    guard
      namesSecret(Self.startOfLine(before, in: text)..<before, in: text, by: names)
        || namesSecret(after..<text.endOfLine(from: after), in: text, by: names)
    else { return nil }
    let isQuoted = Quote(beginningAt: value.lowerBound, in: text) != nil
    return isQuoted ? quoted(at: value.lowerBound, in: text).map { Finding(range: $0) } : Finding(range: value)
  }

  private static func startOfLine(_ place: Int, in text: Span<UInt8>) -> Int {
    var start = place
    while start > 0, place - start < reach, text[start - 1] != 0x0A { start -= 1 }
    return start
  }

  private func namesSecret(_ line: Range<Int>, in text: Span<UInt8>, by names: SecretNames) -> Bool {
    guard line.count < Self.reach, let colon = text.extracting(line).first(of: UInt8(ascii: ":")).map({ $0 + line.lowerBound }),
      Self.nameRoles.contains(where: { text.equals($0, in: text.word(before: colon)) })
    else { return false }
    var name = text.trimmed(colon + 1..<line.upperBound)
    if let quote = Quote(beginningAt: name.lowerBound, in: text) { name = quote.content(from: name.lowerBound, in: text) }
    return names.contains(text.extracting(name))
  }

  // MARK: Arrays, calls and statements

  /// `["x-api-key", "…"]`, `set("token", "…")`: a value that looks like a secret, behind a secret name.
  mutating func pairs(after bracket: Int, in text: Span<UInt8>, by names: SecretNames) {
    var place = text.skippingBlanks(from: bracket + 1)
    for _ in 0..<Self.mostElements {
      guard let name = element(at: place, in: text, longest: Self.longestName) else { return }
      guard let comma = comma(after: name, in: text) else { return }
      place = text.skippingBlanks(from: comma + 1)
      let content = text.extracting(name.content)
      let isCookie = Self.isCookie(name.content, in: text)
      let isSecret = isCookie || names.strength(of: content) != nil
      guard let value = element(at: place, in: text, longest: isSecret ? .max : Self.longestProbed) else { return }
      if isCookie {
        putCookies(value.content, areSet: text.starts(with: "set", in: name.content), in: text)
      } else if isSecret {
        let secret = Self.withoutScheme(value.content, in: text)
        let isCertain =
          text.ends(with: "authorization", in: name.content) && text.extracting(secret).first { Byte.isDigit($0) } != nil
        if isCertain || LikelySecret.isLikely(text.extracting(secret)) { putAhead(secret) }
      }
      guard text[bracket] == UInt8(ascii: "["), let next = self.comma(after: value, in: text) else { return }
      place = text.skippingBlanks(from: next + 1)
    }
  }

  private static let mostElements = 64
  private static let longestProbed = 1024

  private func element(at place: Int, in text: Span<UInt8>, longest: Int) -> (content: Range<Int>, end: Int)? {
    guard let quote = Quote(beginningAt: place, in: text) else { return nil }
    let shown = longest == .max ? text : text.extracting(first: place + quote.size + longest + quote.size)
    let content = quote.content(from: place, in: shown)
    return content.upperBound < shown.count ? (content, min(content.upperBound + quote.size, text.count)) : nil
  }

  private func comma(after element: (content: Range<Int>, end: Int), in text: Span<UInt8>) -> Int? {
    let place = text.skippingBlanks(from: element.end)
    return place < text.count && text[place] == UInt8(ascii: ",") ? place : nil
  }

  private static func withoutScheme(_ value: Range<Int>, in text: Span<UInt8>) -> Range<Int> {
    let blank = text.extracting(value).first(of: 0x20).map { $0 + value.lowerBound } ?? value.lowerBound
    return Redactor.isScheme(text, value.lowerBound..<blank) ? blank + 1..<value.upperBound : value
  }

  /// `PASSWORD '…'` and `IDENTIFIED BY '…'` in SQL.
  func statement(at mark: Int, in text: Span<UInt8>, by names: SecretNames) -> Range<Int>? {
    guard mark > 4, text[mark - 1] == 0x20, style == .document else { return nil }
    let word = text.word(before: text.endBeforeBlanks(mark))
    guard !word.isEmpty, Byte.isLetter(text[word.lowerBound]) else { return nil }
    let names = names.contains(text.extracting(word)) || text.equals("by", in: word) && precedes("identified", word, in: text)
    guard names, TextBefore.beginsWord(word.lowerBound, in: text) else { return nil }
    let content = Quote(beginningAt: mark, in: text)?.content(from: mark, in: text)
    return content.flatMap { text.extracting($0).first { $0 <= 0x20 } == nil ? $0 : nil }
  }

  /// `ENV DB_PASSWORD …`, as in a Dockerfile; `place` is an underscore in the name.
  func instruction(at place: Int, in text: Span<UInt8>, by names: SecretNames) -> Range<Int>? {
    guard place > 4, Byte.isUppercase(text[place - 1]), text[place] == UInt8(ascii: "_") else { return nil }
    var start = place
    while start > 0, place - start < Self.longestName, TokenShapes.isWord(text[start - 1]) { start -= 1 }
    guard text.matches("ENV ", at: start - 4) || text.matches("ARG ", at: start - 4) else { return nil }
    let end = text.end(of: TokenShapes.isWord, from: place)
    guard end < text.count, text[end] == 0x20, end - start <= Self.longestName, names.contains(text.extracting(start..<end))
    else {
      return nil
    }
    return end + 1..<text.endOfLine(from: end + 1)
  }

  private func precedes(_ first: StaticString, _ word: Range<Int>, in text: Span<UInt8>) -> Bool {
    text.equals(first, in: text.word(before: text.endBeforeBlanks(word.lowerBound)))
  }

  /// `s:8:"password";s:18:"…"`, as PHP writes arrays.
  func serialized(at colon: Int, _ value: Int, in text: Span<UInt8>, by names: SecretNames) -> Finding? {
    var place = colon
    while place > 0, colon - place < 12, Byte.isDigit(text[place - 1]) { place -= 1 }
    guard text.matches(";s:", at: place - 3), let quote = Quote(endingAt: place - 3, in: text),
      let name = quote.content(before: place - 3, in: text, longest: Self.longestName), names.contains(text.extracting(name))
    else { return nil }
    return quoted(at: value, in: text).map { Finding(range: $0) }
  }

  // MARK: Cookies

  static func isCookie(_ name: Range<Int>, in text: Span<UInt8>) -> Bool {
    text.ends(with: "cookie", in: name) || text.ends(with: "cookie2", in: name)
  }

  /// `"Cookie": "a=…; b=…"`, also in an array, and `"cookies": [{"name": …, "value": …}]`.
  mutating func cookies(after colon: Int, _ quote: Quote, areSet: Bool, in text: Span<UInt8>) {
    let start = text.skippingBlanks(from: colon + 1)
    guard start < text.count else { return }
    if text[start] == UInt8(ascii: "{") || text[start] == UInt8(ascii: "[") {
      secretTree = SecretTree(.cookies, in: quote)
      index = start
    } else if let value = quoted(at: start, in: text) {
      putCookies(value, areSet: areSet, in: text)
    }
  }

  /// `Cookie: a=…; b=…` as a line of any text.
  mutating func cookieLine(from start: Int, areSet: Bool, in text: Span<UInt8>) {
    var end = start
    while end < text.count, text[end] != 0x0A, text[end] != 0x0D, text[end] != UInt8(ascii: "\""), text[end] != UInt8(ascii: "'"),
      !text.matches("\\n", at: end), !text.matches("\\r", at: end)
    {
      end += 1
    }
    putCookies(start..<end, areSet: areSet, in: text)
    index = max(index, end)
  }

  /// The values of cookies; of a new cookie, only the first pair is one. Text without a pair must look like a secret.
  mutating func putCookies(_ value: Range<Int>, areSet: Bool, in text: Span<UInt8>) {
    var start = value.lowerBound
    while start < value.upperBound {
      let end = text.extracting(start..<value.upperBound).first(of: UInt8(ascii: ";")).map { $0 + start } ?? value.upperBound
      if let equals = text.extracting(start..<end).first(of: UInt8(ascii: "=")) {
        putAhead(text.trimmed(start + equals + 1..<end))
      } else if LikelySecret.isLikely(text.extracting(text.trimmed(start..<end))) {
        putAhead(text.trimmed(start..<end))
      }
      if areSet { return }
      start = end + 1
    }
  }
}
