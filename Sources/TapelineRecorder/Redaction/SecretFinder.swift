/// Finds secrets in text by what they look like or by what stands before them, one after the other.
///
/// One pass, and nothing is parsed: an octet that can only stand in or before a secret (`:`, `=`, the `J` of `eyJ`, …) makes it
/// look around. So it works in whatever the text is (JSON, lines of JSON, HTML, a script, a log) and on pieces of it.
struct SecretFinder {
  /// Octets of the text, and whether quotes must be put around what replaces them, as they were not quoted.
  struct Finding: Equatable {
    var range: Range<Int>
    var wantsQuotes = false
  }

  /// What kind of text it is.
  enum Style {
    case document
    /// A command line: `--token value`, `-u user:password`, `NAME=value`.
    case commandLine
  }

  let style: Style
  /// Where the search goes on.
  private var index = 0
  /// What was found ends here: two findings never overlap.
  private var foundEnd = 0
  /// The end of a JSON array or object under a secret name: every string in it is a secret.
  private var secretTreeEnd = 0

  init(style: Style = .document) {
    self.style = style
  }

  /// The next secret; `nil` when there is none any more. The text and the names are the same in all calls.
  mutating func next(in text: Span<UInt8>, by names: SecretNames) -> Finding? {
    while true {
      // Nearly all of a text is passed over here.
      let place = Self.marks.firstMember(of: text, from: index)
      guard place < text.count else {
        index = place
        return nil
      }
      index = place + 1
      guard var finding = look(at: place, in: text, by: names), finding.range.upperBound > place else { continue }
      finding.range = max(finding.range.lowerBound, foundEnd)..<finding.range.upperBound
      guard !finding.range.isEmpty else { continue }
      index = max(index, finding.range.upperBound)
      foundEnd = finding.range.upperBound
      return finding
    }
  }

  @inline(__always)
  private mutating func look(at place: Int, in text: Span<UInt8>, by names: SecretNames) -> Finding? {
    switch text[place] {
    case UInt8(ascii: "\""):
      return place < secretTreeEnd ? stringInSecretTree(at: place, in: text) : nil
    case UInt8(ascii: ":"):
      return member(at: place, in: text, by: names)
    case UInt8(ascii: "="):
      return parameter(at: place, in: text, by: names)
    case UInt8(ascii: "%"):
      return encodedParameter(at: place, in: text, by: names).map { Finding(range: $0) }
    case UInt8(ascii: "/"):
      return TokenShapes.userinfo(at: place, in: text).map { Finding(range: $0) }
    case UInt8(ascii: ">"):
      return element(at: place, in: text, by: names).map { Finding(range: $0) }
    case UInt8(ascii: "J"):
      return TokenShapes.jsonWebToken(at: place, in: text).map { Finding(range: $0) }
    case UInt8(ascii: "I"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      if style == .commandLine, let range = option(at: place, in: text, by: names) { return Finding(range: range) }
      return TokenShapes.key(at: place, in: text).map { Finding(range: $0) }
    case UInt8(ascii: "B"), UInt8(ascii: "b"):
      return TokenShapes.bearer(at: place, in: text).map { Finding(range: $0) }
    default:
      return nil
    }
  }

  // MARK: JSON

  /// `"name": value`, also with quotes that are escaped because all of it stands in a string; `name: "value"`; a line
  /// `Name: value`.
  private mutating func member(at colon: Int, in text: Span<UInt8>, by names: SecretNames) -> Finding? {
    let end = text.endBeforeBlanks(colon)
    guard end > 0 else { return nil }
    if let quote = Quote(endingAt: end, in: text) {
      guard let name = quote.content(before: end, in: text, longest: Self.longestName), names.contains(text.extracting(name))
      else {
        return nil
      }
      return value(after: colon, in: text)
    }
    let name = text.word(before: end)
    guard end == colon, !name.isEmpty else { return nil }
    let start = text.skippingBlanks(from: colon + 1)
    let range: Range<Int>
    if let string = quoted(at: start, in: text) {
      range = string
    } else {
      let isLine = name.lowerBound == 0 || text[name.lowerBound - 1] == UInt8(ascii: "\n")
      switch style {
      case .document where isLine: range = start..<text.endOfLine(from: start)
      case .document: return nil
      case .commandLine: range = start..<text.endOfArgument(from: start, passesBlanks: start > colon + 1)
      }
    }
    return names.contains(text.extracting(name)) ? Finding(range: range) : nil
  }

  /// The value of a member with a secret name.
  private mutating func value(after colon: Int, in text: Span<UInt8>) -> Finding? {
    let start = text.skippingBlanks(from: colon + 1)
    guard start < text.count else { return nil }
    switch text[start] {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      // Within such a tree everything is looked at anyway.
      if start >= secretTreeEnd { secretTreeEnd = text.endOfTree(from: start) }
      return nil
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      var end = start
      while end < text.count, TokenShapes.isDigit(text[end]) { end += 1 }
      // A small number is a count rather than a code.
      return end - start >= 4 ? Finding(range: start..<end, wantsQuotes: true) : nil
    default:
      return quoted(at: start, in: text).map { Finding(range: $0) }
    }
  }

  private mutating func stringInSecretTree(at quote: Int, in text: Span<UInt8>) -> Finding? {
    guard let content = quoted(at: quote, in: text) else { return nil }
    index = min(content.upperBound + 1, text.count)
    let after = text.skippingBlanks(from: index)
    // A name, which stays.
    if after < text.count, text[after] == UInt8(ascii: ":") { return nil }
    return Finding(range: content)
  }

  /// What stands in the quotes that begin at `start`; up to the end of the text when they do not end.
  private func quoted(at start: Int, in text: Span<UInt8>) -> Range<Int>? {
    Quote(beginningAt: start, in: text)?.content(from: start, in: text)
  }

  // MARK: Parameters

  /// `?name=value` and `&name=value`, wherever a URL or a form stands; a line `name=value`; `name="value"`.
  private func parameter(at equals: Int, in text: Span<UInt8>, by names: SecretNames) -> Finding? {
    let start = equals + 1
    let valueStart = text.skippingBlanks(from: start)
    if valueStart < text.count, let string = quoted(at: valueStart, in: text) {
      let name = text.word(before: text.endBeforeBlanks(equals))
      if let range = attribute(name, string, in: text, by: names) { return Finding(range: range) }
      return names.contains(text.extracting(name)) ? Finding(range: string) : nil
    }
    var name = text.word(before: equals)
    guard !name.isEmpty else { return nil }
    // `\u0026name=` is `&name=` in a JSON string.
    let isEscaped = name.lowerBound > 0 && text[name.lowerBound - 1] == UInt8(ascii: "\\") && text.starts(with: "u0026", in: name)
    if isEscaped { name = name.lowerBound + 5..<name.upperBound }
    guard isEscaped || beginsParameter(name.lowerBound, in: text), names.contains(text.extracting(name)) else { return nil }
    return Finding(range: start..<text.endOfParameter(from: start))
  }

  private func beginsParameter(_ start: Int, in text: Span<UInt8>) -> Bool {
    guard start > 0 else { return true }
    switch text[start - 1] {
    case UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: "#"), UInt8(ascii: "\n"): return true
    case 0x20, UInt8(ascii: "-"), UInt8(ascii: "'"), UInt8(ascii: "\""): return style == .commandLine
    default: return false
    }
  }

  /// `name%3Dvalue`: a URL within a parameter of another.
  private func encodedParameter(at percent: Int, in text: Span<UInt8>, by names: SecretNames) -> Range<Int>? {
    guard text.starts(with: "%3d", in: percent..<text.count) else { return nil }
    var name = text.word(before: percent)
    // `%3Fname` and `%26name`: the two digits belong to what stands before the name.
    if name.lowerBound > 0, text[name.lowerBound - 1] == UInt8(ascii: "%"), name.count > 2 {
      name = name.lowerBound + 2..<name.upperBound
    }
    guard names.contains(text.extracting(name)) else { return nil }
    let start = percent + 3
    var end = start
    let limit = text.endOfParameter(from: start)
    while end < limit, !text.starts(with: "%26", in: end..<limit), !text.starts(with: "%23", in: end..<limit) { end += 1 }
    return start..<end
  }

  // MARK: Markup

  /// `<input name="token" value="secret">`, `<meta name="csrf-token" content="secret">`,
  /// `<input type="password" value="secret">`.
  private func attribute(
    _ name: Range<Int>, _ value: Range<Int>, in text: Span<UInt8>, by names: SecretNames
  ) -> Range<Int>? {
    let isName = text.equals("name", in: name) && names.contains(text.extracting(value))
    guard isName || (text.equals("type", in: name) && text.equals("password", in: value)) else { return nil }
    var place = value.upperBound + 1
    let end = min(text.count, place + Self.longestTag)
    while place < end, text[place] != UInt8(ascii: ">") {
      if text[place] == UInt8(ascii: "=") {
        let other = text.word(before: place)
        if text.equals("value", in: other) || text.equals("content", in: other) { return quoted(at: place + 1, in: text) }
      }
      place += 1
    }
    return nil
  }

  /// `<Password>secret</Password>`, with or without a prefix.
  private func element(at bracket: Int, in text: Span<UInt8>, by names: SecretNames) -> Range<Int>? {
    let name = text.word(before: bracket)
    guard !name.isEmpty, name.lowerBound > 0 else { return nil }
    var before = name.lowerBound - 1
    if text[before] == UInt8(ascii: ":") { before = text.word(before: before).lowerBound - 1 }
    guard before >= 0, text[before] == UInt8(ascii: "<"), names.contains(text.extracting(name)) else { return nil }
    let end = text.first(of: UInt8(ascii: "<"), from: bracket + 1) ?? text.count
    return bracket + 1..<end
  }

  // MARK: Command lines

  /// `--token value` and `-u user:password`.
  private func option(at dash: Int, in text: Span<UInt8>, by names: SecretNames) -> Range<Int>? {
    guard text[dash] == UInt8(ascii: "-"), dash == 0 || text[dash - 1] == 0x20 else { return nil }
    let nameStart = dash + 1 < text.count && text[dash + 1] == UInt8(ascii: "-") ? dash + 2 : dash + 1
    var nameEnd = nameStart
    while nameEnd < text.count, TokenShapes.isWord(text[nameEnd]) { nameEnd += 1 }
    guard nameEnd < text.count, text[nameEnd] == 0x20 else { return nil }
    let name = nameStart..<nameEnd
    let start = text.skippingQuote(from: nameEnd + 1)
    let end = text.endOfArgument(from: start, passesBlanks: start > nameEnd + 1)
    if name.count == 1 && text[nameStart] == UInt8(ascii: "u") || text.equals("user", in: name) {
      guard let colon = text.first(of: UInt8(ascii: ":"), from: start), colon < end else { return nil }
      return colon + 1..<end
    }
    return names.contains(text.extracting(name)) ? start..<end : nil
  }

  /// The octets that `look` does something about.
  private static let marks = OctetTable("\":=%/>JI_-Bb".utf8)
  private static let longestName = 64
  private static let longestTag = 512
}
