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
  /// The JSON array or object under a secret name: every string and number in it is a secret.
  var secretTree: SecretTree?
  var markup = MarkupState()
  /// Findings before their turn; in order.
  var ahead: [Range<Int>] = []

  struct SecretTree {
    let end: Int
    /// The quotes around the names in the tree.
    let quote: Quote
  }

  init(style: Style = .document) {
    self.style = style
  }

  /// The next secret; `nil` when no secret is left. Every call must pass the same text and names.
  mutating func next(in text: Span<UInt8>, by names: SecretNames) -> Finding? {
    let marks = Self.marks
    while true {
      // This skips nearly all of the text.
      let isInTree = secretTree.map { index < $0.end } ?? false
      let place = isInTree ? Self.treeMarks.firstMember(of: text, from: index) : marks.firstMember(of: text, from: index)
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
    case UInt8(ascii: "\""):
      return stringInSecretTree(at: place, in: text)
    case UInt8(ascii: ":"):
      return member(at: place, in: text, by: names)
    case UInt8(ascii: "="):
      return parameter(at: place, in: text, by: names)
    case UInt8(ascii: "%"):
      return encodedParameter(at: place, in: text, by: names).map { Finding(range: $0) }
    case UInt8(ascii: "/"):
      return TokenShapes.userinfo(at: place, in: text).map { Finding(range: $0) }
    case UInt8(ascii: "<"):
      tag(at: place, in: text, by: names)
      return nil
    case UInt8(ascii: ">"):
      return contentInSecretElement(at: place, in: text).map { Finding(range: $0) }
    case UInt8(ascii: "J"):
      return TokenShapes.jsonWebToken(at: place, in: text).map { Finding(range: $0) }
    case UInt8(ascii: "I"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      if style == .commandLine, let range = option(at: place, in: text, by: names) { return Finding(range: range) }
      if let finding = numberInSecretTree(at: place, in: text) { return finding }
      return TokenShapes.key(at: place, in: text).map { Finding(range: $0) }
    case UInt8(ascii: "B"), UInt8(ascii: "b"):
      return TokenShapes.bearer(at: place, in: text).map { Finding(range: $0) }
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      return numberInSecretTree(at: place, in: text)
    default:
      return nil
    }
  }

  /// The content of the quotes that begin at `start`; up to the end of the text when the quotes do not end.
  func quoted(at start: Int, in text: Span<UInt8>) -> Range<Int>? {
    Quote(beginningAt: start, in: text)?.content(from: start, in: text)
  }

  /// The bytes that `look` handles. `Bearer` begins with two letters, as few words do.
  private static let marks = ByteTable(":=%/<>JI_-".utf8, orWord: "be")
  private static let treeMarks = ByteTable(":=%/<>JI_-\"0123456789".utf8, orWord: "be")
  static let longestName = 64
}
