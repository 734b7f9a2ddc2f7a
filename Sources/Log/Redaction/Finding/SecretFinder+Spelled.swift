internal import TapelineBase

/// Names and values in text whose syntax is escaped: JSON in an attribute of HTML, in a URL, or in a script.
extension SecretFinder {
  private static let spellings: [StaticString] = [
    "&quot;", "&#34;", "&#x22;", "\\u0022", "&apos;", "&#39;", "&#x27;", "\\u0027", "\\x22", "\\x27",
  ]

  /// `&quot;token&quot;:&quot;…&quot;` and `\u0022token\u0022:\u0022…\u0022`.
  func spelledMember(endingAt end: Int, _ colon: Int, in text: Span<UInt8>, by names: SecretNames) -> Range<Int>? {
    for mark in Self.spellings where text.matches(mark, at: end - mark.utf8CodeUnitCount) {
      let size = mark.utf8CodeUnitCount
      let nameEnd = end - size
      var start = nameEnd
      while start > 0, nameEnd - start <= Self.longestName, !text.matches(mark, at: start - size) { start -= 1 }
      guard text.matches(mark, at: start - size), names.contains(text.extracting(start..<nameEnd)) else { return nil }
      let value = text.skippingBlanks(from: colon + 1)
      guard text.matches(mark, at: value) else { return nil }
      var valueEnd = value + size
      while valueEnd < text.count, !text.matches(mark, at: valueEnd) { valueEnd += 1 }
      return value + size..<valueEnd
    }
    return nil
  }

  /// `name%3Dvalue`, a URL in a parameter of another URL, which may itself be in a parameter (`%253D`);
  /// `%22name%22%3A%22value%22`, JSON there.
  func encodedMember(at percent: Int, in text: Span<UInt8>, by names: SecretNames) -> Range<Int>? {
    if let start = Self.end(ofEscaped: "3d", at: percent, in: text) {
      return encodedParameter(at: percent, from: start, in: text, by: names)
    }
    guard let colonEnd = Self.end(ofEscaped: "3a", at: percent, in: text) else { return nil }
    guard let nameEnd = Self.start(ofEscapedQuoteBefore: percent, in: text) else { return nil }
    let name = TextBefore.withoutEscape(text.word(before: nameEnd), in: text)
    guard names.contains(text.extracting(name)) else { return nil }
    var value = colonEnd
    while value < text.count, let end = Self.end(ofEscaped: "20", at: value, in: text) { value = end }
    if value < text.count, text[value] == UInt8(ascii: "+") { value += 1 }
    guard value < text.count, let start = Self.end(ofEscaped: "22", at: value, in: text) else { return nil }
    var end = start
    while end < text.count, !text.isEndOfParameter(at: end), Self.end(ofEscaped: "22", at: end, in: text) == nil { end += 1 }
    return start..<end
  }

  private func encodedParameter(
    at percent: Int, from start: Int, in text: Span<UInt8>, by names: SecretNames
  ) -> Range<Int>? {
    // `%3Fname` and `%26name`: the digits belong to the escape before the name.
    let name = TextBefore.withoutEscape(text.word(before: percent), in: text)
    let isCode = text.equals("code", in: name)
    guard isCode || names.contains(text.extracting(name)) else { return nil }
    var end = start
    while end < text.count, !text.isEndOfParameter(at: end), Self.end(ofEscaped: "26", at: end, in: text) == nil,
      Self.end(ofEscaped: "23", at: end, in: text) == nil
    {
      end += 1
    }
    guard !isCode || TokenShapes.isAuthorizationCode(text.extracting(start..<end), atLeast: 10) else { return nil }
    return start..<end
  }

  /// The end of `%3D`, `%253D`, `%25253D` or `%2525253D` at `percent`.
  private static func end(ofEscaped digits: StaticString, at percent: Int, in text: Span<UInt8>) -> Int? {
    guard text[percent] == UInt8(ascii: "%") else { return nil }
    var place = percent + 1
    while place < percent + 7, text.matches("25", at: place) { place += 2 }
    guard text.count - place >= 2, text.starts(with: digits, in: place..<place + 2) else { return nil }
    return place + 2
  }

  /// The place where the escaped quotation mark before `end` begins.
  private static func start(ofEscapedQuoteBefore end: Int, in text: Span<UInt8>) -> Int? {
    guard text.matches("22", at: end - 2) else { return nil }
    var start = end - 2
    while start >= 2, end - start <= 8, text.matches("25", at: start - 2) { start -= 2 }
    return start > 0 && text[start - 1] == UInt8(ascii: "%") ? start - 1 : nil
  }
}
