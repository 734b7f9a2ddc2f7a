internal import TapelineBase

extension Redactor {
  /// `Bearer abc` becomes `Bearer SENSITIVE_…`: a known scheme is not a secret (RFC 9110, 11.4).
  mutating func appendCredentials(_ value: Span<UInt8>, to output: inout [UInt8]) {
    let blank = value.first(of: UInt8(ascii: " ")) ?? 0
    let start = Self.isScheme(value, 0..<blank) ? blank + 1 : 0
    output.append(bytes: value.extracting(0..<start))
    let credentials = value.extracting(start..<value.count)
    appendToken(of: credentials, to: &output)
    if value.equals("basic", in: 0..<blank) {
      rememberPassword(inBasic: credentials)
    } else if start == 0, blank > 0 {
      // The first word may be a scheme that we do not know.
      remember(value.extracting(blank + 1..<value.count))
    }
  }

  /// The password is also a secret without the name (RFC 7617, 2).
  private mutating func rememberPassword(inBasic credentials: Span<UInt8>) {
    guard let pair = Base64.decode(credentials, padding: .ignored) else { return }
    remember(pair.span)
    rememberPassword(inPair: pair.span)
  }

  private mutating func rememberPassword(inPair pair: Span<UInt8>) {
    guard let colon = pair.first(of: UInt8(ascii: ":")) else { return }
    remember(pair.extracting(colon + 1..<pair.count))
  }

  private static let schemes: [StaticString] = [
    "basic", "bearer", "digest", "negotiate", "ntlm", "token", "dpop", "hoba", "mutual", "scram-sha-1", "scram-sha-256", "vapid",
    "aws4-hmac-sha256", "apikey", "signature",
  ]

  static func isScheme(_ value: Span<UInt8>, _ word: Range<Int>) -> Bool {
    for scheme in schemes where value.equals(scheme, in: word) {
      return true
    }
    return false
  }

  /// The value of `Sec-WebSocket-Protocol`: protocol names stay, but browsers have no other place for a token.
  mutating func appendProtocols(_ value: Span<UInt8>, to output: inout [UInt8]) {
    var start = 0
    var announces = false
    while start < value.count {
      let end = value.first(of: UInt8(ascii: ","), from: start) ?? value.count
      let word = value.trimmed(start..<end)
      output.append(bytes: value.extracting(start..<word.lowerBound))
      if announces || Self.isCredential(value.extracting(word)) {
        appendToken(of: value.extracting(word), to: &output)
      } else {
        output.append(bytes: value.extracting(word))
      }
      output.append(bytes: value.extracting(word.upperBound..<min(end + 1, value.count)))
      announces = rules.names.contains(value.extracting(word))
      start = end + 1
    }
  }

  /// Protocol names are shorter, or have no digits.
  private static func isCredential(_ word: Span<UInt8>) -> Bool {
    guard word.count >= 20 else { return false }
    var hasDigit = false
    for index in word.indices where Byte.isDigit(word[index]) { hasDigit = true }
    return hasDigit || word.count >= 64
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
    var end = value.first(of: UInt8(ascii: ";")) ?? value.count
    appendPair(value.extracting(0..<end), to: &output)
    while end < value.count {
      let next = value.first(of: UInt8(ascii: ";"), from: end + 1) ?? value.count
      output.append(UInt8(ascii: ";"))
      appendAttribute(value.extracting(end + 1..<next), to: &output)
      end = next
    }
  }

  private static let cookieAttributes: [StaticString] = [
    "expires", "max-age", "domain", "path", "secure", "httponly", "samesite", "partitioned", "priority", "sameparty", "version",
    "comment", "commenturl", "port", "discard",
  ]

  /// An attribute of a cookie (RFC 6265, 4.1.2) is text; any other has a value that may be a cookie.
  private mutating func appendAttribute(_ attribute: Span<UInt8>, to output: inout [UInt8]) {
    let equals = attribute.first(of: UInt8(ascii: "=")) ?? attribute.count
    let name = attribute.trimmed(0..<equals)
    if Self.cookieAttributes.contains(where: { attribute.equals($0, in: name) }) {
      appendText(attribute, to: &output)
    } else {
      appendPair(attribute, to: &output)
    }
  }

  private mutating func appendText(_ text: Span<UInt8>, to output: inout [UInt8]) {
    if let redacted = redacted(text) { output += redacted } else { output.append(bytes: text) }
  }

  /// `name=secret`; all of it when it has no name. A name is text, which may have a secret.
  private mutating func appendPair(_ pair: Span<UInt8>, to output: inout [UInt8]) {
    let body = pair.trimmed(0..<pair.count)
    let valueStart = pair.first(of: UInt8(ascii: "=")).map { $0 + 1 } ?? body.lowerBound
    let value = pair.trimmed(valueStart..<max(valueStart, body.upperBound))
    appendText(pair.extracting(0..<value.lowerBound), to: &output)
    appendToken(of: pair.extracting(value), to: &output)
  }

  /// `a=1&token=x`, in a query or a form: values of secret names are replaced.
  mutating func appendParameters(_ text: Span<UInt8>, to output: inout [UInt8]) {
    var start = 0
    while start < text.count {
      let end = text.first(of: UInt8(ascii: "&"), from: start) ?? text.count
      appendParameter(text.extracting(start..<end), to: &output)
      if end < text.count { output.append(UInt8(ascii: "&")) }
      start = end + 1
    }
  }

  private mutating func appendParameter(_ parameter: Span<UInt8>, to output: inout [UInt8]) {
    guard let equals = parameter.first(of: UInt8(ascii: "=")) else { return output.append(bytes: parameter) }
    let name = parameter.extracting(0..<equals)
    let value = parameter.extracting(equals + 1..<parameter.count)
    let isCode = name.equals("code", in: name.indices) && TokenShapes.isAuthorizationCode(value, atLeast: 10)
    // Google's services.
    let isKey = name.equals("key", in: name.indices) && value.count >= 16 && LikelySecret.isLikely(value)
    guard isCode || isKey || isSecret(name) else { return appendEncoded(parameter, to: &output) }
    output.append(bytes: parameter.extracting(0...equals))
    appendToken(of: value, to: &output)
  }

  /// A parameter with an ordinary name. Its value may be a URL or JSON whose syntax is percent-encoded.
  private mutating func appendEncoded(_ parameter: Span<UInt8>, to output: inout [UInt8]) {
    if let equals = parameter.first(of: UInt8(ascii: "=")), parameter.first(of: UInt8(ascii: "%")) != nil {
      var decoded: [UInt8] = []
      PercentEncoding.append(decoding: parameter.extracting(equals + 1..<parameter.count), isForm: true, to: &decoded)
      if let redacted = redacted(decoded.span) {
        output.append(bytes: parameter.extracting(0...equals))
        PercentEncoding.append(redacted.span, keeping: .unreserved, to: &output)
        return
      }
    }
    output.append(bytes: parameter)
  }

  /// Whether a name, percent-encoded or not, is a secret name.
  private func isSecret(_ name: Span<UInt8>) -> Bool {
    rules.names.strength(ofEscaped: name) == .sure
  }

  /// A URL or a reference: userinfo and the values of secret parameters, in query and fragment, are replaced.
  mutating func appendURL(_ url: Span<UInt8>, to output: inout [UInt8]) {
    let tailStart = url.first { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? url.count
    var start = 0
    if let userinfo = url.userinfo(before: tailStart) {
      output.append(bytes: url.extracting(0..<userinfo.lowerBound))
      appendToken(of: url.extracting(userinfo), to: &output)
      rememberPassword(inPair: url.extracting(userinfo))
      start = userinfo.upperBound
    }
    output.append(bytes: url.extracting(start..<tailStart))
    start = tailStart
    while start < url.count {
      output.append(url[start])
      let end = url.first(of: UInt8(ascii: "#"), from: start + 1) ?? url.count
      appendParameters(url.extracting(start + 1..<end), to: &output)
      start = end
    }
  }

  /// Makes `output` a URL without its secrets, including those that are recognised by their form.
  package mutating func redactURL(_ url: Span<UInt8>, into output: inout [UInt8]) {
    output.removeAll(keepingCapacity: true)
    appendURL(url, to: &output)
    if let redacted = redacted(output.span) { output = redacted }
  }
}
