internal import TapelineHTTP
internal import TapelineText

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
