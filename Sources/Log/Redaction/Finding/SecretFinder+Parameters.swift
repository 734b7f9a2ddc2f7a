internal import TapelineBase

/// Parameters of URLs and forms, and assignments: `name=value`.
extension SecretFinder {
  /// `?name=value` and `&name=value`, in any URL or form; a line `name=value`; `name="value"`; `"name"=>"value"`; in the middle
  /// of any text, `name=value` if the value looks like a secret.
  mutating func parameter(at equals: Int, in text: Span<UInt8>, by names: SecretNames) -> Finding? {
    let start = equals + 1 < text.count && text[equals + 1] == UInt8(ascii: ">") ? equals + 2 : equals + 1
    let valueStart = text.skippingBlanks(from: start)
    let nameEnd = text.endBeforeBlanks(equals)
    if let quote = Quote(beginningAt: valueStart, in: text) {
      return assignment(endingAt: nameEnd, start, valueStart, quote, in: text, by: names)
    }
    guard start == equals + 1 else { return nil }
    let name = TextBefore.withoutEscape(text.word(before: nameEnd), in: text)
    guard !name.isEmpty else { return nil }
    let isCode = text.equals("code", in: name)
    let own = isCode ? .sure : names.strength(of: text.extracting(name)) ?? keyStrength(name, in: text)
    guard let strength = own ?? continuedStrength(name, in: text, by: names) else { return nil }
    guard let value = value(of: name, nameEnd, from: start, valueStart, in: text, by: names), !value.isEmpty else { return nil }
    if isCode { return TokenShapes.isAuthorizationCode(text.extracting(value), atLeast: 10) ? Finding(range: value) : nil }
    return strength == .sure || LikelySecret.isLikely(text.extracting(value)) ? Finding(range: value) : nil
  }

  /// The strength of a name that a backslash at the end of a line has cut in two, as files of properties may have it.
  private func continuedStrength(_ name: Range<Int>, in text: Span<UInt8>, by names: SecretNames) -> SecretNames.Strength? {
    var end = name.lowerBound
    while end > 0, name.lowerBound - end < 16, text[end - 1] == 0x20 || text[end - 1] == 0x09 { end -= 1 }
    guard end > 1, text[end - 1] == 0x0A else { return nil }
    end -= text[end - 2] == 0x0D ? 2 : 1
    guard end > 0, text[end - 1] == UInt8(ascii: "\\") else { return nil }
    let beginning = text.word(before: end - 1)
    guard beginning.count + name.count <= Self.longestName else { return nil }
    let whole = [UInt8](copying: text.extracting(beginning)) + [UInt8](copying: text.extracting(name))
    return names.strength(of: whole.span)
  }

  /// `?key=…`, as Google's services have it.
  private func keyStrength(_ name: Range<Int>, in text: Span<UInt8>) -> SecretNames.Strength? {
    text.equals("key", in: name) && isInURL(name.lowerBound, in: text) ? .likely : nil
  }

  private func value(
    of name: Range<Int>, _ nameEnd: Int, from start: Int, _ valueStart: Int, in text: Span<UInt8>, by names: SecretNames
  ) -> Range<Int>? {
    let equals = start - 1
    if nameEnd == equals, beginsParameter(name.lowerBound, in: text) || isEscapedAmpersand(before: name, in: text) {
      if style == .commandLine, !isInURL(name.lowerBound, in: text) {
        return start..<CommandLineText.endOfValue(from: start, of: name.lowerBound, in: text)
      }
      let end = text.endOfParameter(from: start)
      return start..<(isInURL(name.lowerBound, in: text) ? end : endOfSetting(from: start, end, in: text))
    }
    guard style == .document else { return nil }
    if TextLine.mayBegin(at: name.lowerBound, in: text), let line = TextLine(beginningAt: name.lowerBound, in: text) {
      if nameEnd == equals, valueStart == start { return start..<text.endOfParameter(from: start) }
      return line.value(from: text.end(of: { $0 == 0x20 || $0 == 0x09 }, from: start), in: text)
        .flatMap { TextLine.isCode($0, in: text) || names.strength(of: text.extracting($0)) != nil ? nil : $0 }
    }
    return nameEnd == equals && valueStart == start ? inlineValue(of: name, from: start, in: text) : nil
  }

  /// The end of a value that begins its line: the whole line, as files of settings have it, unless more names are in it.
  private func endOfSetting(from start: Int, _ end: Int, in text: Span<UInt8>) -> Int {
    guard style == .document, end < text.count, text[end] != UInt8(ascii: "&"), text[end] > 0x0D else { return end }
    var index = end
    while index < text.count, text[index] != 0x0A, text[index] != 0x0D {
      switch text[index] {
      case UInt8(ascii: "="), UInt8(ascii: "&"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: ">"),
        UInt8(ascii: "("), UInt8(ascii: "{"), UInt8(ascii: "\\"):
        return end
      default: index += 1
      }
      if index - end > Self.longestRest { return end }
    }
    return text.endBeforeBlanks(index)
  }

  private static let longestRest = 256

  /// `name = "value"`, and `"name" => "value"`.
  private mutating func assignment(
    endingAt nameEnd: Int, _ start: Int, _ valueStart: Int, _ quote: Quote, in text: Span<UInt8>, by names: SecretNames
  ) -> Finding? {
    let name =
      Quote(endingAt: nameEnd, in: text)?.content(before: nameEnd, in: text, longest: Self.longestName)
      ?? TextBefore.withoutEscape(text.word(before: nameEnd), in: text)
    if Self.isCookie(name, in: text), style == .document {
      if let value = quoted(at: valueStart, in: text) { putCookies(value, areSet: true, in: text) }
      return nil
    }
    guard let strength = names.strength(ofEscaped: text.extracting(name)) ?? blockStrength(name, in: text, by: names) else {
      return nil
    }
    if style == .commandLine, valueStart == start {
      return Finding(range: start + 1..<CommandLineText.endOfWord(from: start + 1, quotedBy: quote.mark, in: text))
    }
    guard let value = quoted(at: valueStart, in: text) else { return nil }
    return strength == .sure || LikelySecret.isLikely(text.extracting(value)) ? Finding(range: value) : nil
  }

  /// `variable "password" { default = "…" }`, as Terraform has it.
  private func blockStrength(_ name: Range<Int>, in text: Span<UInt8>, by names: SecretNames) -> SecretNames.Strength? {
    guard text.equals("default", in: name) else { return nil }
    var brace = name.lowerBound
    while brace > 0, name.lowerBound - brace < 256, text[brace - 1] != UInt8(ascii: "{") { brace -= 1 }
    guard brace > 0, text[brace - 1] == UInt8(ascii: "{") else { return nil }
    let end = text.endBeforeBlanks(brace - 1)
    guard let label = Quote(endingAt: end, in: text)?.content(before: end, in: text, longest: Self.longestName) else {
      return nil
    }
    return names.strength(of: text.extracting(label))
  }

  /// `\u0026name=` is `&name=` in a JSON string, `&amp;name=` in markup.
  private func isEscapedAmpersand(before name: Range<Int>, in text: Span<UInt8>) -> Bool {
    text.matches("\\u0026", at: name.lowerBound - 6) || text.matches("\\x26", at: name.lowerBound - 4)
  }

  /// `/token/…` and `/reset-password/…`: the segment after a secret name, if it looks like a secret.
  func segment(after slash: Int, in text: Span<UInt8>, by names: SecretNames) -> Range<Int>? {
    guard slash > 3, Byte.isLetter(text[slash - 1]), slash + 8 < text.count, TokenShapes.isWord(text[slash + 8]) else {
      return nil
    }
    let name = TextBefore.withoutEscape(text.word(before: slash), in: text)
    guard name.lowerBound > 0, text[name.lowerBound - 1] == UInt8(ascii: "/"), names.strength(of: text.extracting(name)) != nil
    else {
      return nil
    }
    let end = text.end(of: { TokenShapes.isWord($0) || $0 == UInt8(ascii: ".") }, from: slash + 1)
    return LikelySecret.isLikely(text.extracting(slash + 1..<end)) ? slash + 1..<end : nil
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
}
