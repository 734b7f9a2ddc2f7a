internal import CTapeline
internal import TapelineBase

/// A secret that was found once is hidden everywhere in its entry: servers repeat what they receive.
extension Redactor {
  /// The whole entry has been searched: from now on all of its secrets are known.
  package mutating func knowsAll() {
    tapeline_trap_in_redaction()
    matcher.prepare(for: echoes)
  }

  /// Whether text of one byte per character may have secrets of the entry: `withoutEchoes` decides.
  func mayHaveEchoes(_ text: Span<UInt8>) -> Bool {
    matcher.isNeeded && matcher.next(in: text, from: 0) != nil
  }

  /// The text without the secrets of the entry; `nil` when it has none.
  package mutating func withoutEchoes(_ text: Span<UInt8>) -> [UInt8]? {
    guard matcher.isNeeded else { return nil }
    if let wide = WideText(text) {
      return replaceEchoes(in: wide.narrowed(text).span, of: text, wide)
    }
    return replaceEchoes(in: text, of: text, nil)
  }

  /// Replaces the secrets of the entry from `start` on. Answers whether there were any.
  @discardableResult
  package mutating func hideEchoes(in bytes: inout [UInt8], from start: Int = 0) -> Bool {
    guard matcher.isNeeded, start < bytes.count else { return false }
    guard let hidden = withoutEchoes(bytes.span.extracting(start..<bytes.count)) else { return false }
    if start == 0 { bytes = hidden } else { bytes.replaceSubrange(start..., with: hidden) }
    return true
  }

  package mutating func hideEchoes(in text: inout String) {
    guard matcher.isNeeded, let hidden = withoutEchoes(Array(text.utf8).span) else { return }
    text = String(decoding: hidden, as: UTF8.self)
  }

  private mutating func replaceEchoes(in narrow: Span<UInt8>, of text: Span<UInt8>, _ wide: WideText?) -> [UInt8]? {
    let stride = wide?.stride ?? 1
    var output: [UInt8]?
    var end = 0
    var place = 0
    var token: [UInt8] = []
    while let match = matcher.next(in: narrow, from: place) {
      let secret = matcher.secrets[match.echo]
      guard let (range, quotes) = Self.replaceable(match.range, secret, from: end, in: narrow) else {
        place = match.range.lowerBound + 1
        continue
      }
      var changed = output ?? []
      output = nil
      changed.append(bytes: text.extracting(end * stride..<range.lowerBound * stride))
      token.removeAll(keepingCapacity: true)
      if quotes { token.append(UInt8(ascii: "\"")) }
      appendToken(hash: secret.hash, to: &token)
      if quotes { token.append(UInt8(ascii: "\"")) }
      if let wide { wide.append(token.span, to: &changed) } else { changed.append(bytes: token.span) }
      output = changed
      end = range.upperBound
      place = end
    }
    output?.append(bytes: text.extracting(end * stride..<text.count))
    return output
  }

  /// The range to replace so that JSON stays JSON and characters stay whole, and whether the token needs quotes; `nil` when the
  /// match is a part of a larger number.
  private static func replaceable(
    _ match: Range<Int>, _ secret: Echoes.Secret, from start: Int, in text: Span<UInt8>
  ) -> (Range<Int>, quotes: Bool)? {
    var range = match
    // `\n` before the secret `name-…` is a line end: the backslash goes as well.
    var escapes = 0
    while range.lowerBound - escapes > start, text[range.lowerBound - escapes - 1] == UInt8(ascii: "\\") { escapes += 1 }
    if escapes % 2 == 1, isEscapeLetter(text[range.lowerBound]) { range = range.lowerBound - 1..<range.upperBound }
    while range.upperBound < text.count, text[range.upperBound] & 0xC0 == 0x80 { range = range.lowerBound..<range.upperBound + 1 }
    guard secret.isNumber else { return (range, false) }
    if range.lowerBound > start, text[range.lowerBound - 1] == UInt8(ascii: "-") {
      range = range.lowerBound - 1..<range.upperBound
    }
    guard !isPartOfNumber(range, in: text) else { return nil }
    return (range, isJSONNumber(range, in: text))
  }

  private static func isPartOfNumber(_ range: Range<Int>, in text: Span<UInt8>) -> Bool {
    let lower = range.lowerBound
    if lower > 0, Byte.isDigit(text[lower - 1]) { return true }
    if lower > 1, Echoes.isOfNumber(text[lower - 1]), Byte.isDigit(text[lower - 2]) { return true }
    let upper = range.upperBound
    if upper < text.count, Byte.isDigit(text[upper]) { return true }
    return upper + 1 < text.count && Echoes.isOfNumber(text[upper]) && Byte.isDigit(text[upper + 1])
  }

  private static func isEscapeLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"), UInt8(ascii: "u"),
      UInt8(ascii: "\""), UInt8(ascii: "/"):
      true
    default:
      false
    }
  }

  /// Whether a number is a JSON value.
  private static func isJSONNumber(_ range: Range<Int>, in text: Span<UInt8>) -> Bool {
    let start = text.endBeforeBlanks(range.lowerBound)
    let end = text.skippingBlanks(from: range.upperBound)
    guard start > 0, end < text.count else { return false }
    let opens =
      text[start - 1] == UInt8(ascii: ":") || text[start - 1] == UInt8(ascii: "[") || text[start - 1] == UInt8(ascii: ",")
    return opens && (text[end] == UInt8(ascii: ",") || text[end] == UInt8(ascii: "}") || text[end] == UInt8(ascii: "]"))
  }
}
