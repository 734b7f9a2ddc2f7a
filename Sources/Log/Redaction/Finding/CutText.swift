internal import TapelineBase

/// Text whose end is missing: the beginning of a key is too short to be recognised as one.
package enum CutText {
  /// How much of the end is looked at.
  private static let reach = 512

  /// The end of the text without what may be the beginning of a secret that is known by its form.
  package static func endOfKnown(_ text: Span<UInt8>) -> Int {
    var start = text.count
    while start > 0, text.count - start < reach, isOfSecret(text[start - 1]) { start -= 1 }
    if let key = beginningOfKey(in: text, from: start) { return key }
    // The label of a private key has blanks.
    let line = max(0, text.count - 64)
    for place in line..<text.count where text.matches("-BEGIN ", at: place) || text.matches("- BEGIN ", at: place) {
      return endsPrivateKey(text, from: place) ? text.count : place
    }
    let isCredential = text.ends(with: "bearer ", in: 0..<start) || text.ends(with: "basic ", in: 0..<start)
    return isCredential ? start : text.count
  }

  /// - Parameter start: where the last word begins; what is before it may be the beginning of an escape that ends in it.
  private static func beginningOfKey(in text: Span<UInt8>, from start: Int) -> Int? {
    for place in start..<text.count {
      if text.matches("://", at: place), text.first(of: UInt8(ascii: "/"), from: place + 3) == nil { return place + 3 }
      if text.matches("eyJ", at: place) { return place }
      for form in TokenForm.all where text[place] == form.prefix.byte(at: 0) {
        let isFree = form.place == .anywhere || TextBefore.beginsWord(place, in: text)
        if isFree, text.matches(form.prefix, at: place) { return place }
      }
    }
    return nil
  }

  /// A public key or a certificate is no secret; a label that ends in `PRIVATE KEY-----` is found by its form.
  private static func endsPrivateKey(_ text: Span<UInt8>, from place: Int) -> Bool {
    (place + 7..<text.count).contains { text.matches("----", at: $0) }
  }

  private static func isOfSecret(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "~"), UInt8(ascii: "%"),
      UInt8(ascii: ":"):
      true
    default: TokenShapes.isWord(byte)
    }
  }
}
