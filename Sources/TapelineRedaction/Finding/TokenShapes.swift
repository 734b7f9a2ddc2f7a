internal import TapelineText

/// Secrets that are recognised by their form.
package enum TokenShapes {
  /// The beginning of a key, and how many bytes must follow at least.
  private struct Prefix {
    let text: StaticString
    let atLeast: Int
    /// The byte before the mark: nearly all text has other bytes there.
    let beforeLast: UInt8

    init(text: StaticString, atLeast: Int) {
      self.text = text
      self.atLeast = atLeast
      beforeLast = text.byte(at: text.utf8CodeUnitCount - 2)
    }
  }

  /// Prefixes that end in `_` or `-`, where the search for them begins.
  private static let prefixes: [Prefix] = [
    // GitHub, GitLab, npm, PyPI.
    Prefix(text: "ghp_", atLeast: 20), Prefix(text: "gho_", atLeast: 20), Prefix(text: "ghu_", atLeast: 20),
    Prefix(text: "ghs_", atLeast: 20), Prefix(text: "ghr_", atLeast: 20), Prefix(text: "github_pat_", atLeast: 20),
    Prefix(text: "glpat-", atLeast: 16), Prefix(text: "npm_", atLeast: 30), Prefix(text: "pypi-", atLeast: 50),
    // Slack.
    Prefix(text: "xoxb-", atLeast: 10), Prefix(text: "xoxp-", atLeast: 10), Prefix(text: "xoxa-", atLeast: 10),
    Prefix(text: "xoxr-", atLeast: 10), Prefix(text: "xoxs-", atLeast: 10), Prefix(text: "xapp-", atLeast: 10),
    // Stripe, Shopify, OpenAI and similar services, Hugging Face, DigitalOcean, Grafana.
    Prefix(text: "sk_live_", atLeast: 16), Prefix(text: "rk_live_", atLeast: 16), Prefix(text: "sk_test_", atLeast: 16),
    Prefix(text: "whsec_", atLeast: 16), Prefix(text: "shpat_", atLeast: 24), Prefix(text: "sk-", atLeast: 32),
    Prefix(text: "hf_", atLeast: 30), Prefix(text: "dop_v1_", atLeast: 32), Prefix(text: "glsa_", atLeast: 24),
  ]

  private static let shortest = 10

  /// A key that is recognised by its prefix, or a private key in PEM, searched from `I`, `_` or `-` in it.
  static func key(at place: Int, in text: Span<UInt8>) -> Range<Int>? {
    if text[place] == UInt8(ascii: "I") { return cloudKey(at: place, in: text) }
    if text[place] == UInt8(ascii: "-"), let range = privateKey(at: place, in: text) { return range }
    // In ordinary text, fewer word bytes follow a dash or an underscore.
    guard text.count - place > shortest, isWord(text[place + shortest]) else { return nil }
    guard place > 0 else { return nil }
    for prefix in prefixes where prefix.beforeLast == text[place - 1] {
      let start = place + 1 - prefix.text.utf8CodeUnitCount
      guard start >= 0, text.matches(prefix.text, at: start), start == 0 || !isWord(text[start - 1]) else { continue }
      let end = text.end(of: isWord, from: place + 1)
      if end - place > prefix.atLeast { return start..<end }
    }
    return nil
  }

  /// AWS's `AKIA…` and `ASIA…` with 16 capitals or digits, Google's `AIza…` with 35 letters of base64url; `place` is their `I`.
  private static func cloudKey(at place: Int, in text: Span<UInt8>) -> Range<Int>? {
    // The bytes before are checked first: otherwise the rest of a long word would be scanned again and again.
    if place >= 2, text.matches("AKIA", at: place - 2) || text.matches("ASIA", at: place - 2) {
      guard place == 2 || !isWord(text[place - 3]) else { return nil }
      let end = text.end(of: isCapitalOrDigit, from: place + 2)
      return end - place == 18 ? place - 2..<end : nil
    }
    if place >= 1, text.matches("AIza", at: place - 1) {
      guard place == 1 || !isWord(text[place - 2]) else { return nil }
      let end = text.end(of: isWord, from: place + 3)
      return end - place >= 38 ? place - 1..<end : nil
    }
    return nil
  }

  /// The text between `-----BEGIN … PRIVATE KEY-----` and `-----END`; `place` is the last dash before `BEGIN`.
  private static func privateKey(at place: Int, in text: Span<UInt8>) -> Range<Int>? {
    guard place >= 4, text.matches("-BEGIN ", at: place) else { return nil }
    let labelEnd = min(text.count, place + 64)
    var start = place + 7
    while start < labelEnd, !text.matches("PRIVATE KEY-----", at: start) {
      // A label consists of capitals, digits and blanks.
      guard isCapitalOrDigit(text[start]) || text[start] == 0x20 else { return nil }
      start += 1
    }
    guard start < labelEnd else { return nil }
    start += 16
    var end = start
    while end < text.count, !text.matches("-----END", at: end) { end += 1 }
    return min(start, text.count)..<end
  }

  /// Three parts in base64url separated by dots, the first one an object (RFC 7519); five when encrypted. `place` is the `J`.
  static func jsonWebToken(at place: Int, in text: Span<UInt8>) -> Range<Int>? {
    guard place >= 2, text.matches("ey", at: place - 2), place == 2 || !isBase64URL(text[place - 3]) else { return nil }
    var end = text.end(of: isBase64URL, from: place + 1)
    guard end - place >= 10 else { return nil }
    var dots = 0
    while end < text.count, text[end] == UInt8(ascii: "."), dots < 4 {
      dots += 1
      end = text.end(of: isBase64URL, from: end + 1)
    }
    return dots >= 2 ? place - 2..<end : nil
  }

  /// `Bearer …` (RFC 6750, 2.1), unless a word follows.
  static func bearer(at place: Int, in text: Span<UInt8>) -> Range<Int>? {
    guard place + 1 < text.count, text[place + 1] | 0x20 == UInt8(ascii: "e") else { return nil }
    guard text.starts(with: "bearer ", in: place..<text.count), place == 0 || !isWord(text[place - 1]) else { return nil }
    let start = place + 7
    let end = text.end(of: isCredential, from: start)
    guard end - start >= 8 else { return nil }
    let hasDigit = (start..<end).contains { Byte.isDigit(text[$0]) }
    return hasDigit || end - start >= 20 ? start..<end : nil
  }

  /// The text between `://` and `@`; `place` is the second slash.
  static func userinfo(at place: Int, in text: Span<UInt8>) -> Range<Int>? {
    guard place >= 2, text[place - 1] == UInt8(ascii: "/"), text[place - 2] == UInt8(ascii: ":") else { return nil }
    let start = place + 1
    let limit = min(text.count, start + 512)
    var found: Int?
    var index = start
    while index < limit, !endsAuthority(text[index]) {
      if text[index] == UInt8(ascii: "@") { found = index }
      index += 1
    }
    return found.map { start..<$0 }
  }

  /// An authorization code for a token (RFC 6749, 4.1.2): other values are called `code` too, so it must look like one.
  static func isAuthorizationCode(_ value: Span<UInt8>, atLeast shortest: Int) -> Bool {
    guard value.count >= shortest else { return false }
    var hasDigit = false
    var hasSmallLetter = false
    for index in value.indices {
      switch value[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): hasDigit = true
      case UInt8(ascii: "a")...UInt8(ascii: "z"): hasSmallLetter = true
      case 0...0x20: return false
      default: break
      }
    }
    return hasDigit && hasSmallLetter
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\""), UInt8(ascii: "'"),
      UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "`"), UInt8(ascii: ","), UInt8(ascii: ";"):
      true
    default:
      false
    }
  }

  private static func isCapitalOrDigit(_ byte: UInt8) -> Bool {
    Byte.isDigit(byte) || Byte.isUppercase(byte)
  }

  /// The bytes of names and keys.
  package static func isWord(_ byte: UInt8) -> Bool {
    ByteSet.alphanumeric.contains(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }

  private static func isBase64URL(_ byte: UInt8) -> Bool {
    isWord(byte)
  }

  /// `b64token` of RFC 6750.
  private static func isCredential(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): true
    default: isWord(byte)
    }
  }
}
