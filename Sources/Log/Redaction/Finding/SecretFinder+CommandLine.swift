internal import TapelineBase

/// Options of commands, by their names, and the short options of curl and similar tools.
extension SecretFinder {
  /// `--token value`, `--token=value`, `-u user:password`, `-uuser:password`, `--proxy-user=user:password`, `-b name=value`.
  func option(at dash: Int, in text: Span<UInt8>, by names: SecretNames) -> Range<Int>? {
    guard text[dash] == UInt8(ascii: "-"), CommandLineText.beginsWord(dash, in: text) else { return nil }
    if text.matches("--", at: dash) { return longOption(at: dash + 2, in: text, by: names) }
    return password(at: dash, in: text) ?? secretOfTool(at: dash, in: text) ?? shortOption(at: dash + 1, in: text)
  }

  /// `-u name -p password`, as docker, helm, twine and others have it. `-p` alone is a port, or a flag.
  private func password(at dash: Int, in text: Span<UInt8>) -> Range<Int>? {
    guard text.matches("-p ", at: dash), dash > 0, text[dash - 1] == 0x20 else { return nil }
    var name = dash - 1
    while name > 0, dash - name < Self.longestName, text[name - 1] != 0x20, text[name - 1] != UInt8(ascii: ":") { name -= 1 }
    guard text.matches(" -u ", at: name - 4) || text.matches(" --username ", at: name - 12) else { return nil }
    let value = CommandLineText.value(after: dash + 2, of: dash + 1, in: text)
    return value.isEmpty ? nil : value
  }

  /// Tools with a short option whose value is a secret: of other tools, the same letter says something else.
  private struct SecretLetter {
    let letter: UInt8
    /// Whether the value may be the next word. Without a value, other tools ask for it.
    let takesNextWord: Bool
    let tools: [StaticString]
  }

  private static let secretLetters = [
    SecretLetter(
      letter: UInt8(ascii: "p"), takesNextWord: false,
      tools: ["mysql", "mysqldump", "mysqladmin", "mysqlimport", "mariadb", "mariadb-dump", "mariadb-admin", "7z", "7za"]),
    SecretLetter(letter: UInt8(ascii: "a"), takesNextWord: true, tools: ["redis-cli", "valkey-cli"]),
    SecretLetter(
      letter: UInt8(ascii: "w"), takesNextWord: true,
      tools: ["ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldappasswd", "ldapwhoami"]),
    SecretLetter(letter: UInt8(ascii: "P"), takesNextWord: true, tools: ["zip", "unzip", "sqlcmd"]),
  ]

  /// `mysql -psecret`, `redis-cli -a secret`. The `-p` of `sshpass` is its own only before the command that it runs.
  private func secretOfTool(at dash: Int, in text: Span<UInt8>) -> Range<Int>? {
    let letter = dash + 1
    guard letter + 1 < text.count else { return nil }
    let hasNextWord = text[letter + 1] == 0x20
    let isSecret =
      text.matches("sshpass -p", at: dash - 8)
      || Self.secretLetters.contains {
        $0.letter == text[letter] && ($0.takesNextWord || !hasNextWord) && Self.names($0.tools, before: dash, in: text)
      }
    guard isSecret else { return nil }
    let value = CommandLineText.value(ofLetterAt: letter, in: text)
    return value.isEmpty ? nil : value
  }

  private static let userOptions: [StaticString] = ["user", "proxy-user", "cert", "proxy-cert", "basic-auth"]
  private static let secretOptions: [StaticString] = [
    "oauth2-bearer", "pass", "proxy-pass", "tlspassword", "proxy-tlspassword", "pw", "pswd", "passwort", "pin",
  ]

  private func longOption(at start: Int, in text: Span<UInt8>, by names: SecretNames) -> Range<Int>? {
    let end = text.end(of: TokenShapes.isWord, from: start)
    guard end < text.count, text[end] == 0x20 || text[end] == UInt8(ascii: "=") else { return nil }
    let name = start..<end
    let value = CommandLineText.value(after: end, of: start, in: text)
    if Self.userOptions.contains(where: { text.equals($0, in: name) }) {
      return Self.part(of: value, behind: UInt8(ascii: ":"), in: text)
    }
    if text.equals("cookie", in: name) { return Self.part(of: value, behind: UInt8(ascii: "="), in: text) }
    let isSecret = Self.secretOptions.contains { text.equals($0, in: name) } || names.contains(text.extracting(name))
    return isSecret ? value : nil
  }

  /// The letters before it may be options without a value: `-su user:password`.
  private func shortOption(at start: Int, in text: Span<UInt8>) -> Range<Int>? {
    var place = start
    while place < text.count, place - start < 8, Self.isFlag(text[place]) { place += 1 }
    guard place < text.count else { return nil }
    let separator: UInt8
    switch text[place] {
    case UInt8(ascii: "u"), UInt8(ascii: "U"), UInt8(ascii: "E"): separator = UInt8(ascii: ":")
    case UInt8(ascii: "b"): separator = UInt8(ascii: "=")
    case UInt8(ascii: "a"), UInt8(ascii: "A"):
      guard Self.names(Self.pairTools, before: start, in: text) else { return nil }
      separator = UInt8(ascii: ":")
    default: return nil
    }
    let end = place + 1
    guard end < text.count else { return nil }
    let value = CommandLineText.value(ofLetterAt: place, in: text)
    if let part = Self.part(of: value, behind: separator, in: text) { return part }
    // httpie's `-A bearer -a token`.
    return text[place] == UInt8(ascii: "a") && text[end] == 0x20 && !value.isEmpty ? value : nil
  }

  /// Tools whose `-a` or `-A` takes a name and a password; of others these letters are flags, or say something else.
  private static let pairTools: [StaticString] = ["http", "https", "xh", "xhs", "hey", "oha", "ab"]
  private static let longestProgram = 64

  /// Whether one of the tools is among the first words of the command, or the last before the option: a shell may run several.
  private static func names(_ tools: [StaticString], before option: Int, in text: Span<UInt8>) -> Bool {
    hasWord(tools, in: 0..<min(option, longestProgram), of: text)
      || option > longestProgram && hasWord(tools, in: option - longestProgram..<option, of: text)
  }

  private static func hasWord(_ tools: [StaticString], in range: Range<Int>, of text: Span<UInt8>) -> Bool {
    let words = text.extracting(range)
    // Not the end of a word.
    var start =
      range.lowerBound > 0 && TokenShapes.isWord(text[range.lowerBound - 1]) ? words.end(of: TokenShapes.isWord, from: 0) : 0
    while start < words.count {
      let end = words.end(of: TokenShapes.isWord, from: start)
      // Not the scheme of a URL.
      if end < words.count, words[end] == 0x20, tools.contains(where: { words.equals($0, in: start..<end) }) { return true }
      start = end + 1
    }
    return false
  }

  /// Flags of curl.
  private static func isFlag(_ letter: UInt8) -> Bool {
    switch letter {
    case UInt8(ascii: "s"), UInt8(ascii: "S"), UInt8(ascii: "f"), UInt8(ascii: "L"), UInt8(ascii: "k"), UInt8(ascii: "v"),
      UInt8(ascii: "i"), UInt8(ascii: "I"), UInt8(ascii: "g"), UInt8(ascii: "G"), UInt8(ascii: "j"), UInt8(ascii: "J"),
      UInt8(ascii: "n"), UInt8(ascii: "N"), UInt8(ascii: "O"), UInt8(ascii: "p"), UInt8(ascii: "q"), UInt8(ascii: "R"),
      UInt8(ascii: "0"), UInt8(ascii: "4"), UInt8(ascii: "6"), UInt8(ascii: "#"):
      true
    default:
      false
    }
  }

  private static func part(of value: Range<Int>, behind separator: UInt8, in text: Span<UInt8>) -> Range<Int>? {
    var place = value.lowerBound
    while place < value.upperBound, text[place] != separator { place += 1 }
    return place + 1 < value.upperBound ? place + 1..<value.upperBound : nil
  }
}

/// Words of a command line as a shell reads them: separated by blanks, unless quoted.
enum CommandLineText {
  private static let longestOption = 64

  /// Whether a word or the content of a quoted word begins at `start`.
  static func beginsWord(_ start: Int, in text: Span<UInt8>) -> Bool {
    guard start > 0 else { return true }
    return text[start - 1] == 0x20 || quote(before: start, in: text) != nil
  }

  private static func quote(before start: Int, in text: Span<UInt8>) -> UInt8? {
    guard start > 0, text[start - 1] == UInt8(ascii: "'") || text[start - 1] == UInt8(ascii: "\"") else { return nil }
    return text[start - 1]
  }

  /// The value of an option whose name begins at `name` and ends at `separator`: the text after `=`, or the next word.
  static func value(after separator: Int, of name: Int, in text: Span<UInt8>) -> Range<Int> {
    var start = separator + 1
    if text[separator] == 0x20 {
      start = text.end(of: { $0 == 0x20 }, from: start)
      if start < text.count, text[start] == UInt8(ascii: "$") { start += quote(before: start + 2, in: text) == nil ? 0 : 1 }
      if start < text.count, let quote = quote(before: start + 1, in: text) {
        return start + 1..<endOfWord(from: start + 1, quotedBy: quote, in: text)
      }
      return start..<endOfWord(from: start, quotedBy: nil, in: text)
    }
    if start < text.count, let quote = quote(before: start + 1, in: text) {
      return start + 1..<endOfWord(from: start + 1, quotedBy: quote, in: text)
    }
    return start..<endOfValue(from: start, of: name, in: text)
  }

  /// The value of a short option: what follows its letter, or the next word.
  static func value(ofLetterAt letter: Int, in text: Span<UInt8>) -> Range<Int> {
    let end = letter + 1
    return text[end] == 0x20 ? value(after: end, of: letter, in: text) : end..<endOfValue(from: end, of: letter, in: text)
  }

  /// The end of a value that belongs to the name at `name`: both are in the same quotes, or neither is quoted.
  static func endOfValue(from start: Int, of name: Int, in text: Span<UInt8>) -> Int {
    var wordStart = name
    while wordStart > 0, name - wordStart < longestOption, text[wordStart - 1] != 0x20, quote(before: wordStart, in: text) == nil
    {
      wordStart -= 1
    }
    if let quote = quote(before: wordStart, in: text) { return endOfWord(from: start, quotedBy: quote, in: text) }
    return endOfWord(from: start, quotedBy: nil, in: text)
  }

  /// The end of the value of a field. A title may name a field without quotes: then its value is a word and those that belong to
  /// it, as in `Bearer x` and `a=b; c=d`.
  static func endOfField(from start: Int, named name: Range<Int>, in text: Span<UInt8>) -> Int {
    var word = start..<endOfValue(from: start, of: name.lowerBound, in: text)
    var isScheme = text.ends(with: "authorization", in: name)
    while isScheme || endsInSeparator(word, of: text), word.upperBound < text.count, text[word.upperBound] == 0x20 {
      let next = text.end(of: { $0 == 0x20 }, from: word.upperBound)
      word = next..<endOfWord(from: next, quotedBy: nil, in: text)
      isScheme = false
    }
    return word.upperBound
  }

  private static func endsInSeparator(_ word: Range<Int>, of text: Span<UInt8>) -> Bool {
    guard let last = word.last else { return false }
    return text[last] == UInt8(ascii: ",") || text[last] == UInt8(ascii: ";")
  }

  /// The end of the word that continues at `start`; in quotes of the kind `first`, the end is before the closing quote.
  static func endOfWord(from start: Int, quotedBy first: UInt8?, in text: Span<UInt8>) -> Int {
    var quote = first
    var index = start
    while index < text.count {
      let byte = text[index]
      if byte == quote {
        let next = index + 1
        // `'it'\''s'` is one word.
        if first != nil, next == text.count || text[next] == 0x20 { return index }
        quote = nil
      } else if quote == nil {
        switch byte {
        case 0x20: return index
        case UInt8(ascii: "\\"): index += 1
        case UInt8(ascii: "'"), UInt8(ascii: "\""): quote = byte
        default: break
        }
      }
      index += 1
    }
    return text.count
  }
}
