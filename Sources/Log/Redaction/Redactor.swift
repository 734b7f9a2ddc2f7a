internal import TapelineDigest
internal import TapelineSystem
internal import TapelineBase

/// By which the tokens of one capture are made. A random one at first.
package struct RedactionKey: Sendable {
  let halves: (UInt64, UInt64)

  package init() {
    var random = SystemRandomNumberGenerator()
    self.init(random.next(), random.next())
  }

  package init(_ first: UInt64, _ second: UInt64) {
    halves = (first, second)
  }

  /// The key of this process's recording, which survives a crash.
  package static func ofProcess() -> RedactionKey {
    guard ProcessRestart.lastCrash == nil else {
      return RedactionKey(
        UInt64(bitPattern: ProcessRestart.word(.keyFirst)), UInt64(bitPattern: ProcessRestart.word(.keySecond)))
    }
    let key = RedactionKey()
    ProcessRestart.keep(key.halves.0, as: .keyFirst)
    ProcessRestart.keep(key.halves.1, as: .keySecond)
    return key
  }
}

/// Replaces secrets with tokens: within one capture, equal secrets have equal tokens.
///
/// A token is `SENSITIVE_` and 16 hexadecimal digits of a keyed hash; other programs also take it for a placeholder. The key is
/// random and lives as long as the capture, so a log tells which secrets were equal and nothing else about them.
package struct Redactor {
  let rules: RedactionRules
  let hash: KeyedHash
  /// The patterns of `rules`; they were validated when the rules were read.
  private let patterns: [UserPattern]
  /// How many values have been replaced since the counter was last set to 0.
  package var count = 0
  /// The secrets of the entry so far; they are searched for again in the whole entry.
  var echoes = Echoes()
  /// The kind of data that is being redacted.
  package var source = Echoes.Source.credential
  /// Made from `echoes` when all of the entry's secrets are known; consecutive entries often have the same secrets.
  package internal(set) var matcher = EntryMatcher()

  static let tokenPrefix: StaticString = "SENSITIVE_"
  /// The prefix that earlier versions wrote.
  private static let formerPrefix: StaticString = "redacted-"
  private static let digitCount = 16

  package init(_ rules: RedactionRules, key: RedactionKey = RedactionKey()) {
    self.rules = rules
    hash = KeyedHash(key: key.halves)
    patterns = rules.patterns.map { UserPattern($0) }
  }

  /// Forgets the secrets of the previous entry.
  package mutating func beginEntry() {
    count = 0
    echoes.removeAll()
    matcher.forget()
    source = .credential
  }

  /// Appends the token of a secret. Empty text is not a secret, and a token stays as it is.
  mutating func appendToken(of secret: Span<UInt8>, to output: inout [UInt8]) {
    guard !secret.isEmpty else { return }
    guard !Self.isToken(secret) else {
      output.append(bytes: secret)
      return
    }
    let value = hash.hash(secret)
    echoes.insert(secret, hash: value, from: source)
    appendToken(hash: value, to: &output)
  }

  /// Remembers a secret that must be searched for by itself, as it is only part of a value: a password within credentials.
  mutating func remember(_ secret: Span<UInt8>) {
    guard !secret.isEmpty, !Self.isToken(secret) else { return }
    echoes.insert(secret, hash: hash.hash(secret), from: source)
  }

  mutating func appendToken(hash value: UInt64, to output: inout [UInt8]) {
    count += 1
    output.append(literal: Self.tokenPrefix)
    for shift in stride(from: 60, through: 0, by: -4) {
      output.append(Hexadecimal.digit(UInt8(truncatingIfNeeded: value >> UInt64(shift)) & 0xF))
    }
  }

  /// Also after a scheme: `Bearer SENSITIVE_…` in a line of its own was redacted where it was a field.
  private static func isToken(_ text: Span<UInt8>) -> Bool {
    let size = tokenPrefix.utf8CodeUnitCount + digitCount
    if text.count > size, isScheme(text, 0..<text.count - size - 1), text[text.count - size - 1] == 0x20 {
      return isToken(text.extracting(last: size))
    }
    let prefix = text.matches(tokenPrefix, at: 0) ? tokenPrefix : formerPrefix
    return text.matches(prefix, at: 0) && text.count == prefix.utf8CodeUnitCount + digitCount
      && text.end(of: { ByteSet.hexadecimal.contains($0) && !Byte.isUppercase($0) }, from: prefix.utf8CodeUnitCount) == text.count
  }

  // MARK: Any text

  /// The text without its secrets; `nil` when it has none. Text with two or four bytes per character is searched as well.
  package mutating func redacted(_ text: Span<UInt8>, style: SecretFinder.Style = .document) -> [UInt8]? {
    if let wide = WideText(text) { return redacted(text, wide) }
    let found = style == .commandLine ? withoutFound(inCommand: text) : withoutFound(text, style)
    guard !patterns.isEmpty else { return found }
    guard let found else { return withoutMatches(text) }
    return withoutMatches(found.span) ?? found
  }

  private mutating func withoutFound(_ text: Span<UInt8>, _ style: SecretFinder.Style) -> [UInt8]? {
    withoutFound(in: text, style, of: text, at: { $0 }) { token, finding, output in
      finding.quotes?.append(to: &output)
      output += token
      finding.quotes?.append(to: &output)
    }
  }

  /// Replaces what only its command knows, then searches the command line as it is written, then what its program reads.
  private mutating func withoutFound(inCommand text: Span<UInt8>) -> [UInt8]? {
    let placed = without(CommandSecrets.ranges(in: text, by: rules.names), in: text)
    let line = placed ?? [UInt8](copying: text)
    let found = withoutFound(line.span, .commandLine) ?? placed
    let command = found ?? line
    guard let unquoted = UnquotedCommand(command.span) else { return found }
    return withoutFound(in: unquoted.bytes.span, of: command.span, at: unquoted.place(of:)) { token, finding, output in
      output += token
      output += unquoted.marks(insteadOf: finding.range)
    } ?? found
  }

  private mutating func redacted(_ text: Span<UInt8>, _ wide: WideText) -> [UInt8]? {
    let narrow = wide.narrowed(text)
    return withoutFound(in: narrow.span, of: text, at: wide.place(of:)) { token, finding, output in
      var quoted: [UInt8] = []
      finding.quotes?.append(to: &quoted)
      quoted += token
      finding.quotes?.append(to: &quoted)
      wide.append(quoted.span, to: &output)
    }
  }

  /// Searches one form of a text, and replaces in another what was found; `nil` when nothing was.
  ///
  /// - Parameters:
  ///   - place: where a range of `searched` is in `text`.
  ///   - write: appends the token of a finding, in the form of `text`.
  private mutating func withoutFound(
    in searched: Span<UInt8>, _ style: SecretFinder.Style = .document, of text: Span<UInt8>,
    at place: (Range<Int>) -> Range<Int>, _ write: ([UInt8], SecretFinder.Finding, inout [UInt8]) -> Void
  ) -> [UInt8]? {
    var finder = SecretFinder(style: style)
    let countBefore = count
    var output: [UInt8] = []
    var token: [UInt8] = []
    var end = 0
    while let finding = finder.next(in: searched, by: rules.names) {
      if end == 0 { output.reserveCapacity(text.count + 64) }
      let replaced = place(finding.range)
      output.append(bytes: text.extracting(end..<replaced.lowerBound))
      token.removeAll(keepingCapacity: true)
      appendToken(of: searched.extracting(finding.range), to: &token)
      write(token, finding, &output)
      end = replaced.upperBound
    }
    guard count > countBefore else { return nil }
    output.append(bytes: text.extracting(end..<text.count))
    return output
  }

  /// The text without the secrets that the patterns of the rules match.
  private mutating func withoutMatches(_ text: Span<UInt8>) -> [UInt8]? {
    var output: [UInt8]?
    for pattern in patterns {
      let bytes = output ?? [UInt8](copying: text)
      guard let changed = without(pattern.secrets(in: bytes), in: bytes.span) else { continue }
      output = changed
    }
    return output
  }

  /// The text with tokens for some of its ranges, which are in order and do not overlap; `nil` if there are none.
  private mutating func without(_ secrets: [Range<Int>], in text: Span<UInt8>) -> [UInt8]? {
    guard !secrets.isEmpty else { return nil }
    var output: [UInt8] = []
    var end = 0
    for secret in secrets {
      output.append(bytes: text.extracting(end..<secret.lowerBound))
      appendToken(of: text.extracting(secret), to: &output)
      end = secret.upperBound
    }
    output.append(bytes: text.extracting(end..<text.count))
    return output
  }
}
