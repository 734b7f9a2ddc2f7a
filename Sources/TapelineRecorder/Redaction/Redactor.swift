/// Replaces secrets by tokens that are equal where the secrets are, within one capture.
///
/// A token is `SENSITIVE_` and 16 hexadecimal digits of a keyed hash; other programs take it for a placeholder, too. The key is
/// random and lives as long as the capture, so a log says which secrets were the same and nothing else about them.
struct Redactor {
  let rules: RedactionRules
  private let hash: SipHash
  /// The patterns of `rules`; each was a valid one when the rules were read.
  private let patterns: [Regex<AnyRegexOutput>]
  /// How many values have been replaced since it was last set to 0.
  var count = 0

  static let tokenPrefix: StaticString = "SENSITIVE_"
  /// What earlier versions wrote.
  private static let formerPrefix: StaticString = "redacted-"
  private static let digitCount = 16

  init(_ rules: RedactionRules) {
    var random = SystemRandomNumberGenerator()
    self.init(rules, key: (random.next(), random.next()))
  }

  init(_ rules: RedactionRules, key: (UInt64, UInt64)) {
    self.rules = rules
    hash = SipHash(key: key)
    patterns = rules.patterns.map { pattern in
      do {
        return try Regex(pattern)
      } catch {
        preconditionFailure("a pattern is compiled once before it is taken into the rules")
      }
    }
  }

  /// Appends the token of a secret. Nothing is no secret, and what is a token already stays.
  mutating func appendToken(of secret: Span<UInt8>, to output: inout [UInt8]) {
    guard !secret.isEmpty else { return }
    guard !Self.isToken(secret) else {
      output.append(secret)
      return
    }
    count += 1
    unsafe output.append(
      contentsOf: UnsafeBufferPointer(start: Self.tokenPrefix.utf8Start, count: Self.tokenPrefix.utf8CodeUnitCount))
    let value = hash.hash(secret)
    for shift in stride(from: 60, through: 0, by: -4) {
      let digit = UInt8(truncatingIfNeeded: value >> UInt64(shift)) & 0xF
      output.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }

  private static func isToken(_ text: Span<UInt8>) -> Bool {
    let prefix = text.matches(tokenPrefix, at: 0) ? tokenPrefix : formerPrefix
    return text.matches(prefix, at: 0) && text.count == prefix.utf8CodeUnitCount + digitCount
      && text.end(of: isHexDigit, from: prefix.utf8CodeUnitCount) == text.count
  }

  private static func isHexDigit(_ octet: UInt8) -> Bool {
    TokenShapes.isDigit(octet) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(octet)
  }

  // MARK: Any text

  /// The text without its secrets; `nil` when it has none.
  mutating func redacted(_ text: Span<UInt8>, style: SecretFinder.Style = .document) -> [UInt8]? {
    let found = withoutFound(text, style)
    guard !patterns.isEmpty else { return found }
    guard let found else { return withoutMatches(text) }
    return withoutMatches(found.span) ?? found
  }

  private mutating func withoutFound(_ text: Span<UInt8>, _ style: SecretFinder.Style) -> [UInt8]? {
    var finder = SecretFinder(style: style)
    guard var finding = finder.next(in: text, by: rules.names) else { return nil }
    let countBefore = count
    var output: [UInt8] = []
    output.reserveCapacity(text.count + 64)
    var end = 0
    while true {
      output.append(text.extracting(end..<finding.range.lowerBound))
      if finding.wantsQuotes { output.append(UInt8(ascii: "\"")) }
      appendToken(of: text.extracting(finding.range), to: &output)
      if finding.wantsQuotes { output.append(UInt8(ascii: "\"")) }
      end = finding.range.upperBound
      guard let next = finder.next(in: text, by: rules.names) else { break }
      finding = next
    }
    output.append(text.extracting(end..<text.count))
    return count == countBefore ? nil : output
  }

  /// The text without what the file of rules calls a secret; text that is no UTF-8 is left alone.
  private mutating func withoutMatches(_ text: Span<UInt8>) -> [UInt8]? {
    var output: [UInt8]?
    for pattern in patterns {
      let octets = output ?? text.array
      guard let string = String(validating: octets, as: UTF8.self) else { return output }
      let matches = string.matches(of: pattern)
      guard !matches.isEmpty else { continue }
      let utf8 = string.utf8
      var changed: [UInt8] = []
      var end = utf8.startIndex
      for match in matches {
        let secret = match.output.count > 1 ? match.output[1].range ?? match.range : match.range
        changed.append(contentsOf: utf8[end..<secret.lowerBound])
        appendToken(of: Array(utf8[secret]).span, to: &changed)
        end = secret.upperBound
      }
      changed.append(contentsOf: utf8[end...])
      output = changed
    }
    return output
  }
}
