/// Replaces secrets by tokens that are equal where the secrets are, within one capture.
///
/// A token is `redacted-` and 16 hexadecimal digits of a keyed hash. The key is random and lives as long as the capture, so a
/// log says which secrets were the same and nothing else about them.
struct Redactor {
  private let hash: SipHash
  /// How many values have been replaced since it was last set to 0.
  var count = 0

  init() {
    var random = SystemRandomNumberGenerator()
    self.init(key: (random.next(), random.next()))
  }

  init(key: (UInt64, UInt64)) {
    hash = SipHash(key: key)
  }

  /// Appends the token of a secret. Nothing is no secret.
  mutating func appendToken(of secret: Span<UInt8>, to output: inout [UInt8]) {
    guard !secret.isEmpty else { return }
    count += 1
    output.append(contentsOf: "redacted-".utf8)
    let value = hash.hash(secret)
    for shift in stride(from: 60, through: 0, by: -4) {
      let digit = UInt8(truncatingIfNeeded: value >> UInt64(shift)) & 0xF
      output.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }

  /// `Bearer abc` becomes `Bearer redacted-…`: the scheme is no secret (RFC 9110, 11.4).
  mutating func appendCredentials(_ value: Span<UInt8>, to output: inout [UInt8]) {
    let schemeEnd = value.first(of: UInt8(ascii: " ")).map { $0 + 1 } ?? 0
    output.append(value.extracting(0..<schemeEnd))
    appendToken(of: value.extracting(schemeEnd..<value.count), to: &output)
  }

  /// The value of `Cookie`: `a=1; b=2` keeps the names.
  mutating func appendCookies(_ value: Span<UInt8>, to output: inout [UInt8]) {
    var start = 0
    while start < value.count {
      let end = value.first(of: UInt8(ascii: ";"), from: start) ?? value.count
      appendPair(value.extracting(start..<end), to: &output)
      if end < value.count { output.append(UInt8(ascii: ";")) }
      start = end + 1
    }
  }

  /// The value of `Set-Cookie`: the name and the attributes are kept.
  mutating func appendSetCookie(_ value: Span<UInt8>, to output: inout [UInt8]) {
    let end = value.first(of: UInt8(ascii: ";")) ?? value.count
    appendPair(value.extracting(0..<end), to: &output)
    output.append(value.extracting(end..<value.count))
  }

  /// `name=secret`; all of it when there is no name.
  private mutating func appendPair(_ pair: Span<UInt8>, to output: inout [UInt8]) {
    let body = pair.trimmedBlanks(0..<pair.count)
    let valueStart = pair.first(of: UInt8(ascii: "=")).map { $0 + 1 } ?? body.lowerBound
    let value = pair.trimmedBlanks(valueStart..<max(valueStart, body.upperBound))
    output.append(pair.extracting(0..<value.lowerBound))
    appendToken(of: pair.extracting(value), to: &output)
  }

  /// `a=1&token=x`, in a query or a form: values of secret names are replaced.
  mutating func appendParameters(_ text: Span<UInt8>, to output: inout [UInt8]) {
    var start = 0
    while start < text.count {
      let end = text.first(of: UInt8(ascii: "&"), from: start) ?? text.count
      if let equals = text.first(of: UInt8(ascii: "="), from: start), equals < end,
        SecretNames.contains(text.extracting(start..<equals))
      {
        output.append(text.extracting(start...equals))
        appendToken(of: text.extracting(equals + 1..<end), to: &output)
      } else {
        output.append(text.extracting(start..<end))
      }
      if end < text.count { output.append(UInt8(ascii: "&")) }
      start = end + 1
    }
  }

  /// A URL or a reference: userinfo and the values of secret parameters, in query and fragment, are replaced.
  mutating func appendURL(_ url: Span<UInt8>, to output: inout [UInt8]) {
    let tailStart = url.first { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? url.count
    var start = 0
    if let userinfo = url.userinfo(before: tailStart) {
      output.append(url.extracting(0..<userinfo.lowerBound))
      appendToken(of: url.extracting(userinfo), to: &output)
      start = userinfo.upperBound
    }
    output.append(url.extracting(start..<tailStart))
    start = tailStart
    while start < url.count {
      output.append(url[start])
      let end = url.first(of: UInt8(ascii: "#"), from: start + 1) ?? url.count
      appendParameters(url.extracting(start + 1..<end), to: &output)
      start = end
    }
  }
}
