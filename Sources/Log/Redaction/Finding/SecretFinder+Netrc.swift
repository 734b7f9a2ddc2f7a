internal import TapelineBase

/// Files of logins, as curl, git and ftp have them (netrc(5)).
extension SecretFinder {
  /// Whether a text is such a file: it begins with a login. A sentence about machines has other words there.
  static func beginsNetrc(_ text: Span<UInt8>) -> Bool {
    guard !text.isEmpty, text[0] == UInt8(ascii: "m") || text[0] == UInt8(ascii: "d") else { return false }
    if text.matches("default login ", at: 0) { return true }
    guard text.matches("machine", at: 0), text.count > 7, text[7] <= 0x20 else { return false }
    let host = text.end(of: { $0 > 0x20 }, from: text.skippingBlanks(from: 7))
    let word = text.skippingBlanks(from: host)
    let name = word..<text.end(of: { $0 > 0x20 }, from: word)
    if text.equals("login", in: name) { return true }
    // Behind a password there is nothing, or another of these words.
    let password = text.skippingBlanks(from: name.upperBound)
    let next = text.skippingBlanks(from: text.end(of: { $0 > 0x20 }, from: password))
    let follower = next..<text.end(of: { $0 > 0x20 }, from: next)
    let followers: [StaticString] = ["machine", "login", "account", "macdef", "default"]
    return text.equals("password", in: name) && (follower.isEmpty || followers.contains { text.equals($0, in: follower) })
  }

  /// Puts the passwords of a file of logins into `ahead`: the words behind `password` and `account`.
  mutating func logins(in text: Span<UInt8>) {
    var place = 0
    var isSecret = false
    while place < text.count {
      place = text.end(of: { $0 <= 0x20 }, from: place)
      let word = place..<text.end(of: { $0 > 0x20 }, from: place)
      place = word.upperBound
      if isSecret {
        let isQuoted = word.count > 2 && text[word.lowerBound] == UInt8(ascii: "\"")
        putAhead(isQuoted ? word.lowerBound + 1..<quotedEnd(of: word, in: text) : word)
      }
      isSecret =
        !isSecret && (text.equals("password", in: word) || text.equals("passwd", in: word) || text.equals("account", in: word))
    }
  }

  /// A quoted password may have blanks, which only curl takes for a part of it.
  private func quotedEnd(of word: Range<Int>, in text: Span<UInt8>) -> Int {
    let end = text.endOfLine(from: word.lowerBound + 1)
    var place = word.lowerBound + 1
    while place < end, text[place] != UInt8(ascii: "\"") { place += text[place] == UInt8(ascii: "\\") ? 2 : 1 }
    return min(place, end)
  }
}
