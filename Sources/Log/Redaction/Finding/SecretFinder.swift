/// Finds secrets in text, one after the other, by their form or by the text before them.
///
/// One pass, no parsing: a byte that can only be in or before a secret (`:`, `=`, the `J` of `eyJ`, …) makes the finder look
/// around. So it works in any text (JSON, lines of JSON, HTML, a script, a log) and on pieces of it. Each search is bounded or
/// covers its text only once: the time is in proportion to the text, for any content.
package struct SecretFinder {
  /// The range of the secret, and the quotes to put around its replacement if the secret was not quoted.
  struct Finding: Equatable {
    var range: Range<Int>
    var quotes: Quote?

    var wantsQuotes: Bool { quotes != nil }
  }

  /// The kind of text.
  package enum Style {
    case document
    /// A command line: `--token value`, `-u user:password`, `NAME=value`.
    case commandLine
  }

  let style: Style
  /// Where the search continues.
  var index = 0
  /// The end of the last finding: two findings never overlap.
  private var foundEnd = 0
  /// The JSON array or object under a secret name that is being walked.
  var secretTree: SecretTree?
  var markup = MarkupState()
  /// The end of the lines below a secret name whose values have been found.
  var blockEnd = 0
  /// The end of a long word that is no token.
  private var wordWithoutToken = 0
  /// Findings before their turn; in order.
  var ahead: [Range<Int>] = []

  init(style: Style = .document) {
    self.style = style
  }

  /// The next secret; `nil` when no secret is left. Every call must pass the same text and names.
  mutating func next(in text: Span<UInt8>, by names: SecretNames) -> Finding? {
    let marks = Self.marks
    if index == 0, text.matches("PASS ", at: 0), let finding = taken(Finding(range: 5..<text.endOfLine(from: 5))) {
      return finding
    }
    if index == 0, Self.beginsNetrc(text) { logins(in: text) }
    if index == 0, let number = CardNumber.range(at: 0, in: text), let finding = taken(Finding(range: number)) { return finding }
    while true {
      if var tree = secretTree {
        let finding = tree.next(from: &index, in: text, by: names)
        secretTree = tree.isDone ? nil : tree
        if let finding = finding.flatMap({ taken($0) }) { return finding }
        continue
      }
      // This skips nearly all of the text.
      let place = marks.firstMember(of: text, from: index)
      if let range = ahead.first, range.lowerBound <= place {
        ahead.removeFirst()
        if let finding = taken(Finding(range: range)) { return finding }
        continue
      }
      guard place < text.count else {
        index = place
        return nil
      }
      index = place + 1
      guard let finding = look(at: place, in: text, by: names), finding.range.upperBound > place else { continue }
      // A secret that begins after this place may have other text before it.
      if let finding = taken(finding) { return finding }
    }
  }

  private mutating func taken(_ finding: Finding) -> Finding? {
    var finding = finding
    finding.range = min(max(finding.range.lowerBound, foundEnd), finding.range.upperBound)..<finding.range.upperBound
    guard !finding.range.isEmpty, finding.range.lowerBound >= foundEnd else { return nil }
    index = max(index, finding.range.upperBound)
    foundEnd = finding.range.upperBound
    return finding
  }

  @inline(__always)
  private mutating func look(at place: Int, in text: Span<UInt8>, by names: SecretNames) -> Finding? {
    switch text[place] {
    case UInt8(ascii: ":"):
      return member(at: place, in: text, by: names) ?? TokenShapes.botToken(at: place, in: text).map { Finding(range: $0) }
        ?? TokenShapes.key(at: place, in: text).map { Finding(range: $0) } ?? cardNumber(after: place, in: text)
    case UInt8(ascii: "="):
      return parameter(at: place, in: text, by: names) ?? cardNumber(after: place, in: text)
    case UInt8(ascii: "%"):
      return encodedMember(at: place, in: text, by: names).map { Finding(range: $0) }
    case UInt8(ascii: "/"):
      return afterSlash(at: place, in: text, by: names).map { Finding(range: $0) }
    case UInt8(ascii: "<"):
      tag(at: place, in: text, by: names)
      return nil
    case UInt8(ascii: ">"):
      return contentInSecretElement(at: place, in: text).map { Finding(range: $0) } ?? cardNumber(after: place, in: text)
    case UInt8(ascii: "("), UInt8(ascii: "["):
      pairs(after: place, in: text, by: names)
      return nil
    case UInt8(ascii: "'"):
      return statement(at: place, in: text, by: names).map { Finding(range: $0) }
    case UInt8(ascii: "J"):
      return
        (TokenShapes.jsonWebToken(at: place, in: text, wordEnd: &wordWithoutToken)
        ?? TokenShapes.encodedPrivateKey(at: place, in: text))
        .map { Finding(range: $0) }
    case UInt8(ascii: "_"), UInt8(ascii: "-"):
      if let range = instruction(at: place, in: text, by: names) { return Finding(range: range) }
      if style == .commandLine, let range = option(at: place, in: text, by: names) { return Finding(range: range) }
      return TokenShapes.key(at: place, in: text).map { Finding(range: $0) }
    case UInt8(ascii: "I"), UInt8(ascii: "."), UInt8(ascii: "d"):
      return TokenShapes.key(at: place, in: text).map { Finding(range: $0) }
    case UInt8(ascii: "B"), UInt8(ascii: "b"):
      return TokenShapes.credentials(at: place, in: text).map { Finding(range: $0) }
    default:
      return nil
    }
  }

  /// A number of JSON gets the quotes of the name before it.
  private func cardNumber(after place: Int, in text: Span<UInt8>) -> Finding? {
    guard let (range, isQuoted) = CardNumber.value(after: place, in: text) else { return nil }
    let isMember = text[place] == UInt8(ascii: ":") && !isQuoted
    return Finding(range: range, quotes: isMember ? Quote(endingAt: text.endBeforeBlanks(place), in: text) : nil)
  }

  /// A slash may begin userinfo, a webhook's credential, the segment after a secret name, or a key.
  private func afterSlash(at place: Int, in text: Span<UInt8>, by names: SecretNames) -> Range<Int>? {
    TokenShapes.userinfo(at: place, in: text) ?? TokenShapes.webhook(at: place, in: text)
      ?? segment(after: place, in: text, by: names) ?? TokenShapes.key(at: place, in: text)
  }

  /// The content of the quotes that begin at `start`; up to the end of the text when the quotes do not end.
  func quoted(at start: Int, in text: Span<UInt8>) -> Range<Int>? {
    guard let quote = Quote(beginningAt: start, in: text) else { return nil }
    let content = quote.content(from: start, in: text)
    // TOML and Python have three of them around several lines.
    guard content.isEmpty, text.matches("\"\"\"", at: start) || text.matches("'''", at: start) else { return content }
    let mark = text[start]
    var end = start + 3
    while end < text.count, !(text[end] == mark && text.matches("\"\"\"", at: end) || text.matches("'''", at: end)) { end += 1 }
    return min(start + 3, end)..<end
  }

  /// Remembers a finding whose turn will come.
  mutating func putAhead(_ range: Range<Int>) {
    guard !range.isEmpty, ahead.last.map({ $0.upperBound <= range.lowerBound }) ?? true else { return }
    ahead.append(range)
  }

  /// The bytes that `look` handles. `Bearer`, `Basic` and `dapi` begin with two letters, as few words do; behind the dot of a key
  /// there is no blank, as there is behind a sentence.
  private static let marks = ByteTable(":=%/<>JI_-(['".utf8, orWords: ["be", "ba", "da"], joined: UInt8(ascii: "."))
  static let longestName = 64
}
