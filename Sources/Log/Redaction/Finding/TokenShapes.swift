internal import TapelineBase

/// Secrets that are recognised by their form.
package enum TokenShapes {
  /// The least bytes of a form behind its anchor.
  private static let shortest = 10

  /// A key that is recognised by its prefix, or a private key, searched from one of `TokenForm.anchors` in it.
  static func key(at place: Int, in text: Span<UInt8>) -> Range<Int>? {
    if text[place] == UInt8(ascii: "-") {
      if let range = privateKey(at: place, in: text) ?? regionalKey(at: place, in: text) { return range }
    }
    // In ordinary text, a blank or fewer word bytes follow.
    guard text.count - place > shortest, isCredential(text[place + 1]), isCredential(text[place + shortest]) else { return nil }
    return TokenForm.token(around: place, in: text)
  }

  /// Mailchimp's 32 hexadecimal digits and `-us12`.
  private static func regionalKey(at dash: Int, in text: Span<UInt8>) -> Range<Int>? {
    guard dash >= 32, text.matches("-us", at: dash) else { return nil }
    let end = text.end(of: Byte.isDigit, from: dash + 3)
    guard end > dash + 3, end == text.count || !isWord(text[end]) else { return nil }
    for index in dash - 32..<dash where !ByteSet.hexadecimal.contains(text[index]) { return nil }
    return dash - 32..<end
  }

  /// Telegram's `123456789:` and 35 letters, digits and so on; `place` is the colon.
  static func botToken(at place: Int, in text: Span<UInt8>) -> Range<Int>? {
    guard place >= 8, Byte.isDigit(text[place - 1]), text.count - place > 35, isWord(text[place + 35]) else { return nil }
    var start = place
    while start > 0, place - start < 11, Byte.isDigit(text[start - 1]) { start -= 1 }
    let end = text.end(of: isWord, from: place + 1)
    guard (8...10).contains(place - start), (35...36).contains(end - place - 1) else { return nil }
    return start..<end
  }

  /// The path of Slack's and Discord's webhooks, whose last part is the credential; `place` is the slash before it.
  static func webhook(at place: Int, in text: Span<UInt8>) -> Range<Int>? {
    let start = place + 1
    guard text.count - start >= 24, isWord(text[start + 20]), place > 12 else { return nil }
    let end = text.end(of: isWord, from: start)
    guard end - start >= 24 else { return nil }
    let before = text.extracting(max(0, place - 64)..<place)
    var parts = 0
    for index in before.indices.reversed() where before[index] == UInt8(ascii: "/") {
      parts += 1
      if parts == 2, before.matches("/T", at: index), text.matches("services", at: place - before.count + index - 8) {
        return start..<end
      }
      if parts == 1, before.extracting(0..<index).ends(with: Array("/webhooks".utf8).span) { return start..<end }
      if parts == 2 { break }
    }
    return nil
  }

  /// The text between `-----BEGIN … PRIVATE KEY-----` and `-----END`; `place` is the last dash before `BEGIN`. SSH2 writes
  /// `---- BEGIN … PRIVATE KEY ----`, PuTTY `Private-Lines: …` up to `Private-MAC: …`.
  private static func privateKey(at place: Int, in text: Span<UInt8>) -> Range<Int>? {
    guard place >= 3 else { return nil }
    if text.matches("Private-Lines:", at: place - 7) {
      let start = place + 7
      return start..<end(before: "Private-MAC", from: start, in: text)
    }
    let label: Int
    if text.matches("-BEGIN ", at: place) {
      label = place + 7
    } else if text.matches("- BEGIN ", at: place) {
      label = place + 8
    } else {
      return nil
    }
    let labelEnd = min(text.count, place + 64)
    var start = label
    while start < labelEnd, !text.matches("PRIVATE KEY", at: start) {
      // A label consists of capitals, digits and blanks.
      guard isCapitalOrDigit(text[start]) || text[start] == 0x20 else { return nil }
      start += 1
    }
    guard start < labelEnd else { return nil }
    start = text.end(of: { isCapitalOrDigit($0) || $0 == 0x20 }, from: start)
    start = text.end(of: { $0 == UInt8(ascii: "-") }, from: start)
    return start..<end(before: label == place + 7 ? "-----END" : "---- END", from: start, in: text)
  }

  private static func end(before mark: StaticString, from start: Int, in text: Span<UInt8>) -> Int {
    var end = start
    while end < text.count, !text.matches(mark, at: end) { end += 1 }
    return end
  }

  /// `LS0tLS1CRUdJTi…`: a private key in PEM, in base64 once more, as Kubernetes has it. `place` is the `J`.
  static func encodedPrivateKey(at place: Int, in text: Span<UInt8>) -> Range<Int>? {
    let start = place - 11
    guard text.matches("LS0tLS1CRUdJTi", at: start) else { return nil }
    let beginning = text.extracting(first: start + 64).end(of: TokenForm.Alphabet.base64.contains, from: start)
    let label = text.extracting(start..<start + (beginning - start) / 4 * 4)
    guard let decoded = Base64.decode(label, padding: .ignored) else { return nil }
    for index in decoded.indices where decoded.span.matches("PRIVATE KEY", at: index) {
      return start..<text.end(of: TokenForm.Alphabet.base64.contains, from: beginning)
    }
    return nil
  }

  /// Three parts in base64url separated by dots, the first one an object (RFC 7519); five when encrypted. `place` is the `J`.
  ///
  /// - Parameter wordEnd: words up to there have no dots, and are not looked at again.
  static func jsonWebToken(at place: Int, in text: Span<UInt8>, wordEnd: inout Int) -> Range<Int>? {
    guard place >= 2, place >= wordEnd, text.matches("ey", at: place - 2) else { return nil }
    let start = place - 2
    let isFree = headers.contains { text.matches($0, at: start) } || TextBefore.beginsWord(start, in: text)
    guard isFree || TokenForm.mayBeLength(before: start, in: text) else { return nil }
    let text = isFree ? text : text.extracting(first: start + 0x100)
    var end = text.end(of: isWord, from: place + 1)
    guard end - place >= 10 else { return nil }
    var dots = 0
    while end < text.count, text[end] == UInt8(ascii: "."), dots < 4 {
      dots += 1
      end = text.end(of: isWord, from: end + 1)
    }
    guard dots >= 2 else {
      if dots == 0 { wordEnd = end }
      return nil
    }
    return isFree || TokenForm.isLength(end - start, before: start, in: text) ? start..<end : nil
  }

  /// How the headers of tokens begin: `{"alg":`, `{"typ":`, `{"kid":`, `{"enc":`, `{"cty":`, `{"x5t":`.
  private static let headers: [StaticString] = ["eyJhbGci", "eyJ0eXAi", "eyJraWQi", "eyJlbmMi", "eyJjdHki", "eyJ4NXQi"]

  /// `Bearer …` (RFC 6750, 2.1), unless a word follows; `Basic …`, if a name and a password follow (RFC 7617 2).
  static func credentials(at place: Int, in text: Span<UInt8>) -> Range<Int>? {
    guard place + 1 < text.count else { return nil }
    return text[place + 1] | 0x20 == UInt8(ascii: "e") ? bearer(at: place, in: text) : basic(at: place, in: text)
  }

  private static func bearer(at place: Int, in text: Span<UInt8>) -> Range<Int>? {
    guard text.starts(with: "bearer", in: place..<text.count), let start = startOfCredentials(after: place + 6, in: text),
      TextBefore.beginsWord(place, in: text)
    else { return nil }
    let end = text.end(of: isCredential, from: start)
    guard end - start >= 8 else { return nil }
    let hasDigit = (start..<end).contains { Byte.isDigit(text[$0]) }
    return hasDigit || end - start >= 20 ? start..<end : nil
  }

  private static func basic(at place: Int, in text: Span<UInt8>) -> Range<Int>? {
    guard text.starts(with: "basic", in: place..<text.count), let start = startOfCredentials(after: place + 5, in: text),
      TextBefore.beginsWord(place, in: text)
    else { return nil }
    let end = text.end(of: isCredential, from: start)
    guard end - start >= 8, end - start <= 1024, let pair = Base64.decode(text.extracting(start..<end), padding: .ignored),
      pair.contains(UInt8(ascii: ":")), pair.allSatisfy({ $0 >= 0x20 })
    else { return nil }
    return start..<end
  }

  /// The place after the blank behind a scheme, which may be escaped: `Bearer%20…`, `Bearer+…`.
  private static func startOfCredentials(after end: Int, in text: Span<UInt8>) -> Int? {
    guard end < text.count else { return nil }
    switch text[end] {
    case 0x20, UInt8(ascii: "+"): return end + 1
    case UInt8(ascii: "%"): return text.matches("%20", at: end) ? end + 3 : text.matches("%2520", at: end) ? end + 5 : nil
    default: return nil
    }
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

  /// `b64token` of RFC 6750.
  private static func isCredential(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): true
    default: isWord(byte)
    }
  }
}
