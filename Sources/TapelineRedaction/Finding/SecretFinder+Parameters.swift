internal import TapelineText

/// Parameters of URLs and forms, and assignments: `name=value`.
extension SecretFinder {
  /// `?name=value` and `&name=value`, in any URL or form; a line `name=value`; `name="value"`; `"name"=>"value"`.
  func parameter(at equals: Int, in text: Span<UInt8>, by names: SecretNames) -> Finding? {
    let start = equals + 1 < text.count && text[equals + 1] == UInt8(ascii: ">") ? equals + 2 : equals + 1
    let valueStart = text.skippingBlanks(from: start)
    let nameEnd = text.endBeforeBlanks(equals)
    if let quote = Quote(beginningAt: valueStart, in: text) {
      let name =
        Quote(endingAt: nameEnd, in: text)?.content(before: nameEnd, in: text, longest: Self.longestName)
        ?? TextLine.name(before: nameEnd, in: text)
      guard names.contains(text.extracting(name)) else { return nil }
      if style == .commandLine, valueStart == start {
        return Finding(range: start + 1..<CommandLineText.endOfWord(from: start + 1, quotedBy: quote.mark, in: text))
      }
      return Finding(range: quote.content(from: valueStart, in: text))
    }
    guard start == equals + 1 else { return nil }
    var name = text.word(before: nameEnd)
    guard !name.isEmpty else { return nil }
    // `\u0026name=` is `&name=` in a JSON string.
    let isEscaped = name.lowerBound > 0 && text[name.lowerBound - 1] == UInt8(ascii: "\\") && text.starts(with: "u0026", in: name)
    name = isEscaped ? name.lowerBound + 5..<name.upperBound : TextLine.name(before: nameEnd, in: text)
    let isParameter = nameEnd == equals && (isEscaped || beginsParameter(name.lowerBound, in: text))
    guard isParameter || TextLine.mayBegin(at: name.lowerBound, in: text) else { return nil }
    let isCode = text.equals("code", in: name)
    guard isCode || names.contains(text.extracting(name)) else { return nil }
    if isParameter {
      let end =
        style == .commandLine && !isInURL(name.lowerBound, in: text)
        ? CommandLineText.endOfValue(from: start, of: name.lowerBound, in: text) : text.endOfParameter(from: start)
      guard !isCode || TokenShapes.isAuthorizationCode(text.extracting(start..<end), atLeast: 10) else { return nil }
      return Finding(range: start..<end)
    }
    guard !isCode, style == .document, let line = TextLine(beginningAt: name.lowerBound, in: text) else { return nil }
    if nameEnd == equals, valueStart == start { return Finding(range: start..<text.endOfParameter(from: start)) }
    return line.value(from: text.end(of: { $0 == 0x20 || $0 == 0x09 }, from: start), in: text)
      .flatMap { TextLine.isCode($0, in: text) ? nil : Finding(range: $0) }
  }

  private func isInURL(_ start: Int, in text: Span<UInt8>) -> Bool {
    guard start > 0 else { return false }
    switch text[start - 1] {
    case UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: "#"): return true
    default: return false
    }
  }

  private func beginsParameter(_ start: Int, in text: Span<UInt8>) -> Bool {
    guard start > 0, !isInURL(start, in: text) else { return true }
    switch text[start - 1] {
    case UInt8(ascii: "\n"): return true
    case 0x20, UInt8(ascii: "-"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: ":"): return style == .commandLine
    default: return false
    }
  }

  /// `name%3Dvalue`: a URL in a parameter of another URL, which may itself be in a parameter (`%253D`).
  func encodedParameter(at percent: Int, in text: Span<UInt8>, by names: SecretNames) -> Range<Int>? {
    guard let start = Self.end(ofEscaped: "3d", at: percent, in: text) else { return nil }
    var name = text.word(before: percent)
    // `%3Fname` and `%26name`: the digits belong to the escape before the name.
    if name.lowerBound > 0, text[name.lowerBound - 1] == UInt8(ascii: "%") {
      var lower = name.lowerBound
      while text.matches("25", at: lower), lower + 4 < name.upperBound { lower += 2 }
      name = min(lower + 2, name.upperBound)..<name.upperBound
    }
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
}
