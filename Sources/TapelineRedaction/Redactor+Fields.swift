package import TapelineHTTP
internal import TapelineText

extension Redactor {
  /// Makes `output` the value of a line without its secrets; `false` when it has none: the value stays as it is.
  mutating func redactValue(of fields: borrowing HeaderFields, at index: Int, into output: inout [UInt8]) -> Bool {
    let bytes = fields.bytes
    let field = rules.treatment(of: fields.knownName(at: index), bytes.span.extracting(fields.nameRange(at: index)))
    return redact(bytes.span.extracting(fields.valueRange(at: index)), of: field, into: &output)
  }

  /// Makes `output` the value without its secrets; `false` when it has none: the value stays as it is.
  mutating func redact(_ value: Span<UInt8>, of field: SecretField, into output: inout [UInt8]) -> Bool {
    output.removeAll(keepingCapacity: true)
    switch field {
    case .plain: return false
    case .text:
      guard let redacted = redacted(value) else { return false }
      output = redacted
    case .url: redactURL(value, into: &output)
    case .credentials: appendCredentials(value, to: &output)
    case .cookies, .setCookie: appendCookies(value, areSet: field == .setCookie, to: &output)
    case .protocols: appendProtocols(value, to: &output)
    case .whole: appendToken(of: value, to: &output)
    }
    return true
  }

  /// Half of all cookies are not secrets. Hiding them in place does no harm, but equal texts elsewhere must not all be hidden.
  private mutating func appendCookies(_ value: Span<UInt8>, areSet: Bool, to output: inout [UInt8]) {
    let before = source
    source = .content
    defer { source = before }
    if areSet { appendSetCookie(value, to: &output) } else { appendCookies(value, to: &output) }
  }

  /// The lines without their secrets.
  package mutating func hidden(_ fields: HeaderFields) -> RecordedFields {
    var recorded = RecordedFields(fields)
    var value: [UInt8] = []
    for index in 0..<fields.count {
      let before = count
      if redactValue(of: fields, at: index, into: &value) { recorded.append(value, at: index, count: count - before) }
    }
    return recorded
  }
}

/// How a header field's value holds secrets.
enum SecretField {
  /// `Scheme credentials` (RFC 9110, 11.4).
  case credentials
  case cookies
  case setCookie
  /// A reference in which userinfo and parameters may be secrets.
  case url
  /// Protocol names, among which there may be a token.
  case protocols
  /// The value is a secret.
  case whole
  /// The value is ordinary text, which may still contain a secret.
  case text
  /// The value consists of words and numbers of the protocol.
  case plain
}

extension RedactionRules {
  /// How the value of a field is treated; `name` is the field name in bytes.
  func treatment(of known: FieldName, _ name: Span<UInt8>) -> SecretField {
    if !fields.isEmpty, fields.contains(name.asciiLowercased) { return .whole }
    switch known {
    case .authorization, .proxyAuthorization: return .credentials
    case .cookie: return .cookies
    case .setCookie: return .setCookie
    case .location, .referer: return .url
    case .other:
      if isSecret(name) { return .whole }
      if name.equals("set-cookie2", in: name.indices) { return .setCookie }
      return name.equals("sec-websocket-protocol", in: name.indices) ? .protocols : .text
    case .proxyAuthenticate, .via, .proxyStatus, .contentType, .origin, .server, .userAgent, .wwwAuthenticate, .host:
      return .text
    case .contentLength, .transferEncoding, .expect, .maxForwards, .connection, .keepAlive, .proxyConnection, .te, .trailer,
      .upgrade, .date, .accept, .acceptEncoding, .cacheControl, .contentEncoding, .retryAfter, .secWebSocketKey,
      .secWebSocketAccept:
      // A user's pattern may match any name.
      return patterns.isEmpty ? .plain : .text
    }
  }

  /// `X-Auth` is as secret as `auth`.
  private func isSecret(_ name: Span<UInt8>) -> Bool {
    if names.contains(name) { return true }
    return name.starts(with: "x-", in: 0..<name.count) && names.contains(name.extracting(2..<name.count))
  }
}
