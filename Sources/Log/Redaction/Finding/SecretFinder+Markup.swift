internal import TapelineBase

/// Elements and attributes of HTML and XML.
extension SecretFinder {
  struct MarkupState {
    /// Tags up to this place have been read.
    var tagEnd = 0
    /// The end of an element with a secret name: all text in it is secret.
    var secretElementEnd = 0
    /// Whether an element was not closed: then no further search for an end is made.
    var isCut = false
  }

  private static let longestTag = 4096

  /// The information in the attributes of a tag.
  private struct Tag {
    var name: Range<Int>
    /// An attribute says that the value or the content is a secret.
    var isSecretField = false
    /// Its `name` or `key` says so, which is stronger than an `id` or a `type`.
    var isNamed = false
    var value: Range<Int>?
    /// Its class says so, or an attribute that a page made for its own script.
    var isLabelled = false
    /// The place after `>`; `nil` when the tag has no content, or no end.
    var contentStart: Int?
  }

  /// Puts secrets of a tag and its element into `ahead`: `<input value=secret name=token>`, `<Password a="b">secret</Password>`.
  mutating func tag(at bracket: Int, in text: Span<UInt8>, by names: SecretNames) {
    guard bracket >= markup.tagEnd, bracket + 1 < text.count else { return }
    if text[bracket + 1] == UInt8(ascii: "/") { return label(before: bracket, in: text, by: names) }
    let isInSecret = bracket < markup.secretElementEnd
    if isInSecret, text.matches("<!--", at: bracket) { return comment(at: bracket, in: text) }
    guard TokenShapes.isWord(text[bracket + 1]) else { return }
    let tag = readTag(at: bracket, in: text, by: names)
    if isInSecret {
      forEachValue(in: bracket..<markup.tagEnd, of: text) { finder, value in finder.putAhead(value) }
    } else if tag.isSecretField {
      forEachValue(in: bracket..<markup.tagEnd, of: text) { finder, value in
        if value == tag.value || LikelySecret.isLikely(text.extracting(value)) { finder.putAhead(value) }
      }
    }
    guard let start = tag.contentStart else { return }
    if tag.isLabelled, !isInSecret { return likelyContent(from: start, in: text) }
    if names.contains(text.extracting(tag.name)) {
      beginSecretElement(tag.name, contentStart: start, in: text)
    } else if tag.isNamed, tag.value == nil, Self.holdsValues(tag.name, in: text) {
      if let content = elementText(from: start, in: text) {
        putAhead(content)
      } else if text.equals("select", in: tag.name) {
        // The options of a list of secrets.
        beginSecretElement(tag.name, contentStart: start, in: text)
      }
    }
  }

  private mutating func readTag(at bracket: Int, in text: Span<UInt8>, by names: SecretNames) -> Tag {
    let nameEnd = text.end(of: Self.isOfName, from: bracket + 1)
    var tag = Tag(name: Self.localName(bracket + 1..<nameEnd, in: text))
    let limit = min(text.count, bracket + Self.longestTag)
    var place = nameEnd
    while place < limit {
      switch text[place] {
      case UInt8(ascii: ">"):
        if text[place - 1] != UInt8(ascii: "/") { tag.contentStart = place + 1 }
        markup.tagEnd = place + 1
        return tag
      case UInt8(ascii: "<"):
        markup.tagEnd = place
        return tag
      case UInt8(ascii: "="):
        let attribute = Self.localName(text.word(before: text.endBeforeBlanks(place)), in: text)
        let value = attributeValue(after: place, before: limit, in: text)
        note(attribute, value, in: &tag, text, by: names)
        place = max(place + 1, value.upperBound)
      default:
        place += 1
      }
    }
    markup.tagEnd = place
    return tag
  }

  /// The values of all attributes of a tag, of which few are needed.
  private mutating func forEachValue(
    in tag: Range<Int>, of text: Span<UInt8>, _ body: (inout SecretFinder, Range<Int>) -> Void
  ) {
    var place = tag.lowerBound
    while place < tag.upperBound {
      guard text[place] == UInt8(ascii: "=") else {
        place += 1
        continue
      }
      let value = attributeValue(after: place, before: tag.upperBound, in: text)
      if !value.isEmpty { body(&self, value) }
      place = max(place + 1, value.upperBound)
    }
  }

  private func attributeValue(after equals: Int, before limit: Int, in text: Span<UInt8>) -> Range<Int> {
    let start = text.skippingBlanks(from: equals + 1)
    if let quote = Quote(beginningAt: start, in: text) {
      // A quote that does not end within the limit does not belong to a tag.
      let shown = text.extracting(first: limit)
      let content = quote.content(from: min(start, limit), in: shown)
      if content.upperBound < limit { return content }
    }
    return
      start..<text.end(
        of: { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "\"") }, from: start)
  }

  private func note(_ attribute: Range<Int>, _ value: Range<Int>, in tag: inout Tag, _ text: Span<UInt8>, by names: SecretNames) {
    if text.equals("value", in: attribute) || text.equals("content", in: attribute) {
      tag.value = value.isEmpty ? nil : value
    } else if text.equals("class", in: attribute) || text.equals("data-name", in: attribute)
      || text.equals("data-key", in: attribute)
    {
      guard names.strength(of: text.extracting(value)) != nil else { return }
      tag.isLabelled = true
      if text.starts(with: "data-", in: attribute) { tag.isSecretField = true }
    } else if text.equals("name", in: attribute) || text.equals("key", in: attribute) || text.equals("property", in: attribute) {
      guard names.contains(text.extracting(value)) else { return }
      tag.isSecretField = true
      tag.isNamed = true
    } else if text.equals("id", in: attribute) {
      guard names.contains(text.extracting(value)) else { return }
      tag.isSecretField = true
      tag.isNamed = tag.isNamed || Self.holdsText(tag.name, in: text)
    } else if text.equals("type", in: attribute) {
      if text.equals("password", in: value) { tag.isSecretField = true }
    }
  }

  private static let valueElements: [StaticString] = [
    "textarea", "select", "entry", "string", "property", "param", "parameter", "setting", "item", "field", "value", "arg",
  ]

  /// Whether the text of an element is the value for the name in its attributes.
  private static func holdsValues(_ name: Range<Int>, in text: Span<UInt8>) -> Bool {
    valueElements.contains { text.equals($0, in: name) }
  }

  /// All text up to `</name` is secret; without such an end tag, only the text up to the next tag.
  private mutating func beginSecretElement(_ name: Range<Int>, contentStart: Int, in text: Span<UInt8>) {
    guard contentStart >= markup.secretElementEnd else { return }
    if let content = elementText(from: contentStart, in: text) {
      putAhead(content)
      // An element with a secret name nearly always contains only text.
      if text.matches("</", at: text.skippingBlanks(from: content.upperBound)) { return }
    } else if text.matches("</", at: text.skippingBlanks(from: contentStart)) {
      return
    }
    guard !markup.isCut else { return }
    var place = contentStart
    var depth = 1
    while let bracket = text.first(of: UInt8(ascii: "<"), from: place) {
      let isEnd = text.matches("</", at: bracket)
      let nameStart = min(bracket + (isEnd ? 2 : 1), text.count)
      let found = Self.localName(nameStart..<text.end(of: Self.isOfName, from: nameStart), in: text)
      place = bracket + 1
      guard found.count == name.count, text.extracting(found).ends(with: text.extracting(name)) else { continue }
      // An element within one of the same name.
      depth += isEnd ? -1 : Self.isEmptyElement(at: bracket, in: text) ? 0 : 1
      if depth == 0 {
        markup.secretElementEnd = bracket
        return
      }
    }
    markup.isCut = true
  }

  private static func isEmptyElement(at bracket: Int, in text: Span<UInt8>) -> Bool {
    let shown = text.extracting(first: bracket + longestTag)
    return shown.first(of: UInt8(ascii: ">"), from: bracket).map { shown[$0 - 1] == UInt8(ascii: "/") } ?? false
  }

  private mutating func comment(at bracket: Int, in text: Span<UInt8>) {
    let start = bracket + 4
    var end = start
    while end < text.count, !text.matches("-->", at: end) { end += 1 }
    let content = text.trimmed(start..<max(start, end))
    putAhead(content)
  }

  /// `<th>Password</th><td>…</td>`: text that looks like a secret, in the element after one whose text is a secret name.
  private mutating func label(before bracket: Int, in text: Span<UInt8>, by names: SecretNames) {
    var start = bracket
    while start > 0, bracket - start <= Self.longestName, text[start - 1] != UInt8(ascii: ">") { start -= 1 }
    guard start > 0, text[start - 1] == UInt8(ascii: ">") else { return }
    var name = text.trimmed(start..<bracket)
    if !name.isEmpty, text[name.upperBound - 1] == UInt8(ascii: ":") { name = name.lowerBound..<name.upperBound - 1 }
    guard let strength = names.strength(of: text.extracting(name)) else { return }
    // The end of this tag, and the beginning of the next element.
    let shown = text.extracting(first: bracket + Self.longestLabelDistance)
    guard let end = shown.first(of: UInt8(ascii: ">"), from: bracket) else { return }
    let next = shown.skippingBlanks(from: end + 1)
    guard next + 1 < shown.count, shown[next] == UInt8(ascii: "<"), TokenShapes.isWord(shown[next + 1]),
      let contentStart = shown.first(of: UInt8(ascii: ">"), from: next), shown[contentStart - 1] != UInt8(ascii: "/")
    else { return }
    guard let content = elementText(from: contentStart + 1, in: text).map({ text.trimmed($0) }) else { return }
    // The value of a property list is one, whatever it looks like.
    let isCertain = strength == .sure && text.matches("</key", at: bracket)
    if isCertain || LikelySecret.isLikely(text.extracting(content)) { putAhead(content) }
  }

  private static let longestLabelDistance = 256

  private mutating func likelyContent(from start: Int, in text: Span<UInt8>) {
    guard let content = elementText(from: start, in: text).map({ text.trimmed($0) }) else { return }
    if LikelySecret.isLikely(text.extracting(content)) { putAhead(content) }
  }

  private static func holdsText(_ name: Range<Int>, in text: Span<UInt8>) -> Bool {
    text.equals("textarea", in: name) || text.equals("output", in: name)
  }

  /// The text after a tag within an element with a secret name; for CDATA also the text after it.
  func contentInSecretElement(at bracket: Int, in text: Span<UInt8>) -> Range<Int>? {
    guard bracket < markup.secretElementEnd, bracket + 1 >= markup.tagEnd || text.matches("]]>", at: bracket - 2) else {
      return nil
    }
    return elementText(from: bracket + 1, in: text)
  }

  /// The text up to the next tag, or the content of a CDATA section; `nil` when there are only blanks.
  private func elementText(from start: Int, in text: Span<UInt8>) -> Range<Int>? {
    let content = text.skippingBlanks(from: start)
    if text.matches("<![CDATA[", at: content) {
      var end = content + 9
      while end < text.count, !text.matches("]]>", at: end) { end += 1 }
      return content + 9 < end ? content + 9..<end : nil
    }
    let end = text.first(of: UInt8(ascii: "<"), from: content) ?? text.count
    return content < end ? start..<end : nil
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    TokenShapes.isWord(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
  }

  /// The name without its namespace prefix.
  private static func localName(_ name: Range<Int>, in text: Span<UInt8>) -> Range<Int> {
    var start = name.upperBound
    while start > name.lowerBound, text[start - 1] != UInt8(ascii: ":") { start -= 1 }
    return start..<name.upperBound
  }
}
