internal import TapelineBase

/// The secrets of a command line that stand where only their command knows (`CommandTable`), and those that are piped into a
/// command that reads a secret.
struct CommandSecrets {
  /// A word as a shell reads it, but for escapes.
  private struct Word {
    let text: Substring
    /// Where the text is in the command line, without the quotes around all of it.
    let range: Range<Int>
    let isQuoted: Bool

    /// Whether another command follows.
    var isSeparator: Bool { !isQuoted && ["&&", "||", "|", ";", "&"].contains(text) }
    var isOption: Bool { text.hasPrefix("-") && text.count > 1 }
  }

  private(set) var ranges: [Range<Int>] = []
  private let names: SecretNames

  /// No command line needs more. Longer ones are no command lines.
  private static let mostWords = 1_024
  /// How far behind its name a command's words are looked at.
  private static let reach = 64
  /// How many command lines lie within each other.
  private static let depth = 3

  /// Secrets in order, which do not overlap.
  static func ranges(in text: Span<UInt8>, by names: SecretNames) -> [Range<Int>] {
    var secrets = CommandSecrets(names: names)
    secrets.scan(text.indices, of: text, depth: 0)
    var result: [Range<Int>] = []
    for range in secrets.ranges.sorted(by: { ($0.lowerBound, $1.upperBound) < ($1.lowerBound, $0.upperBound) })
    where !range.isEmpty && range.lowerBound >= result.last?.upperBound ?? 0 { result.append(range) }
    return result
  }

  private init(names: SecretNames) {
    self.names = names
  }

  private mutating func scan(_ range: Range<Int>, of text: Span<UInt8>, depth: Int) {
    let words = Self.words(in: range, of: text)
    for (place, word) in words.enumerated() {
      if let places = CommandTable.places[Self.name(of: word)] {
        let rest = words[(place + 1)...].prefix(Self.reach).prefix { !$0.isSeparator }
        for place in places { find(place, in: Array(rest)) }
      }
      // `sh -c '…'`
      if word.isQuoted, depth < Self.depth, word.text.contains(" ") { scan(word.range, of: text, depth: depth + 1) }
    }
    findPiped(in: words)
  }

  private static func words(in range: Range<Int>, of text: Span<UInt8>) -> [Word] {
    var words: [Word] = []
    var index = range.lowerBound
    let line = text.extracting(0..<range.upperBound)
    while words.count < mostWords {
      index = line.end(of: { $0 == 0x20 }, from: index)
      guard index < line.count else { break }
      if line[index] == UInt8(ascii: "$"), index + 1 < line.count, line[index + 1] == UInt8(ascii: "'") { index += 1 }
      let quote = line[index] == UInt8(ascii: "'") || line[index] == UInt8(ascii: "\"") ? line[index] : nil
      let start = quote == nil ? index : index + 1
      var end = CommandLineText.endOfWord(from: start, quotedBy: quote, in: line)
      index = end + (quote == nil ? 0 : 1)
      // `a;` ends a command.
      let endsCommand = quote == nil && end - start > 1 && line[end - 1] == UInt8(ascii: ";")
      if endsCommand { end -= 1 }
      words.append(Word(text: Substring(String(bytes: line.extracting(start..<end))), range: start..<end, isQuoted: quote != nil))
      if endsCommand { words.append(Word(text: ";", range: end..<end, isQuoted: false)) }
    }
    return words
  }

  /// `/usr/bin/psexec.py` → `psexec`.
  private static func name(of word: Word) -> String {
    let name = word.text.split(separator: "/").last ?? ""
    for ending in [".exe", ".py", ".sh"] where name.hasSuffix(ending) { return String(name.dropLast(ending.count)) }
    return String(name)
  }

  // MARK: Places

  private mutating func find(_ place: CommandTable.Place, in words: [Word]) {
    switch place {
    case .letter(let letter): findOption("-\(letter)", in: words, takesNextWord: true, takesRest: true)
    case .attached(let letter): findOption("-\(letter)", in: words, takesNextWord: false, takesRest: true)
    case .word(let option): findOption(option, in: words, takesNextWord: true, takesRest: false)
    case .prefix(let prefix): for word in words where word.text.hasPrefix(prefix) { add(word, from: prefix.utf8.count) }
    case .part(let letter, let separator): findPart(letter, behind: separator, in: words)
    case .assignment(let option): findAssignment(option, in: words)
    case .behind(let subcommand, let number): findWord(behind: subcommand, number, in: words)
    case .last(let flag):
      guard words.contains(where: { $0.isOption && $0.text.contains(flag) }), let last = words.last, !last.isOption else {
        return
      }
      add(last)
    case .setting(let subcommand): findSetting(subcommand, in: words)
    case .userAndPassword: findUserAndPassword(in: words)
    case .credentials: findCredentials(in: words)
    case .list: for word in words where word.text.contains(",") { addSettings(in: word) }
    }
  }

  private mutating func add(_ word: Word, from offset: Int = 0) {
    guard offset < word.text.utf8.count else { return }
    ranges.append(word.range.lowerBound + offset..<word.range.upperBound)
  }

  /// - Parameters:
  ///   - takesNextWord: whether the value may be the next word.
  ///   - takesRest: whether it may follow the option without anything between.
  private mutating func findOption(_ option: String, in words: [Word], takesNextWord: Bool, takesRest: Bool) {
    for (place, word) in words.enumerated() where word.text.hasPrefix(option) {
      let rest = word.text.dropFirst(option.count)
      if rest.isEmpty {
        if takesNextWord, place + 1 < words.count, !words[place + 1].isOption { add(words[place + 1]) }
      } else if rest.first == "=" {
        add(word, from: option.utf8.count + 1)
      } else if takesRest, rest != "-" {
        add(word, from: option.utf8.count)
      }
    }
  }

  private mutating func findPart(_ letter: Character, behind separator: Character, in words: [Word]) {
    for (place, word) in words.enumerated() {
      let value: (word: Word, offset: Int)
      if word.text == "-\(letter)" || word.text == "--user" {
        guard place + 1 < words.count else { continue }
        value = (words[place + 1], 0)
      } else if let option = ["-\(letter)", "--user="].first(where: { word.text.hasPrefix($0) }) {
        value = (word, option.utf8.count)
      } else {
        continue
      }
      let text = value.word.text.utf8.dropFirst(value.offset)
      guard let byte = separator.asciiValue, let end = text.firstIndex(of: byte) else { continue }
      add(value.word, from: value.word.text.utf8.distance(from: value.word.text.startIndex, to: end) + 1)
    }
  }

  private mutating func findAssignment(_ option: String, in words: [Word]) {
    for (place, word) in words.enumerated() {
      if word.text == option, place + 1 < words.count {
        addValue(of: words[place + 1], from: 0)
      } else if word.text.hasPrefix("\(option)=") {
        addValue(of: word, from: option.utf8.count + 1)
      }
    }
  }

  private mutating func addSettings(in word: Word) {
    var start = 0
    for part in word.text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let text = Array(part)
      if let end = text.firstIndex(of: UInt8(ascii: "=")), end + 1 < text.count,
        names.strength(of: text.span.extracting(0..<end)) != nil
      {
        let place = word.range.lowerBound + start
        ranges.append(place + end + 1..<place + text.count)
      }
      start += text.count + 1
    }
  }

  /// The value in `name=value`, if the name is a secret's.
  private mutating func addValue(of word: Word, from offset: Int) {
    let text = Array(word.text.utf8.dropFirst(offset))
    guard let end = text.firstIndex(of: UInt8(ascii: "=")), names.strength(of: text.span.extracting(0..<end)) != nil else {
      return
    }
    add(word, from: offset + end + 1)
  }

  private mutating func findWord(behind subcommand: [String], _ number: Int, in words: [Word]) {
    guard let start = Self.end(of: subcommand, in: words) else { return }
    // The password of `login` is an option's, with a letter that means something else without it.
    guard number >= 0 else { return findOption("-p", in: words, takesNextWord: true, takesRest: false) }
    let values = words[start...].filter { !$0.isOption }
    for value in values.dropFirst(number) { add(value) }
  }

  private mutating func findSetting(_ subcommand: [String], in words: [Word]) {
    guard let start = Self.end(of: subcommand, in: words) else { return }
    let values = words[start...].filter { !$0.isOption }
    guard values.count > 1 else { return }
    let name = Array((values[0].text.split(whereSeparator: { ":./".contains($0) }).last ?? "").utf8)
    if names.strength(of: name.span) != nil { add(values[1]) }
  }

  /// Where the words of a subcommand end; options may stand between them.
  private static func end(of subcommand: [String], in words: [Word]) -> Int? {
    var place = 0
    for part in subcommand {
      guard let found = words[place...].firstIndex(where: { $0.text == part }) else { return nil }
      place = found + 1
    }
    return place
  }

  private mutating func findUserAndPassword(in words: [Word]) {
    for word in words where !word.isOption && !word.text.contains("=") {
      let text = word.text.utf8
      guard let slash = text.firstIndex(of: UInt8(ascii: "/")), slash != text.startIndex else { continue }
      let rest = text[text.index(after: slash)...]
      let end = rest.firstIndex(of: UInt8(ascii: "@")) ?? rest.endIndex
      let start = word.range.lowerBound + text.distance(from: text.startIndex, to: slash) + 1
      let length = rest.distance(from: rest.startIndex, to: end)
      // A path has more parts.
      if length > 0, !rest[..<end].contains(UInt8(ascii: "/")) { ranges.append(start..<start + length) }
    }
  }

  private mutating func findCredentials(in words: [Word]) {
    for word in words where !word.isOption {
      let text = Array(word.text.utf8)
      guard let colon = text.firstIndex(of: UInt8(ascii: ":")), let end = text.lastIndex(of: UInt8(ascii: "@")), colon + 1 < end
      else { continue }
      ranges.append(word.range.lowerBound + colon + 1..<word.range.lowerBound + end)
    }
  }

  // MARK: Pipes

  private static let printers: Set<String> = ["echo", "printf"]
  private static let readers: Set<String> = ["chpasswd", "passwd", "htpasswd", "cryptsetup"]

  /// `echo S | docker login --password-stdin`
  private mutating func findPiped(in words: [Word]) {
    for (place, word) in words.enumerated() where word.text == "|" && !word.isQuoted {
      let reader = words[(place + 1)...].prefix(Self.reach).prefix { !$0.isSeparator }
      guard let program = reader.first, Self.readsSecret(program, Array(reader)) else { continue }
      let printer = words[..<place].suffix(Self.reach)
      let first = printer.lastIndex(where: \.isSeparator).map { $0 + 1 } ?? printer.startIndex
      guard first < place, Self.printers.contains(Self.name(of: words[first])) else { continue }
      for word in words[(first + 1)..<place] where !word.isOption && !word.text.hasPrefix("%") { add(word) }
    }
  }

  private static func readsSecret(_ program: Word, _ words: [Word]) -> Bool {
    readers.contains(name(of: program)) || name(of: program) == "sudo" && words.contains { $0.text == "-S" }
      || words.contains { $0.text.hasSuffix("-stdin") || $0.text == "--with-token" || $0.text == "stdin" }
  }
}
