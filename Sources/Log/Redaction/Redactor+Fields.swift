package import TapelineHTTP
internal import TapelineSystem
internal import TapelineBase

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
    case .plain(let grammar):
      if grammar.matches(value) { return false }
      return redact(value, of: .text, into: &output)
    case .text:
      guard let redacted = redacted(value) else { return false }
      output = redacted
    case .url:
      redactURL(value, into: &output)
      return !output.span.equals(value)
    case .authority:
      // Without userinfo it is text as any other.
      guard value.first(of: UInt8(ascii: "@")) != nil else { return redact(value, of: .text, into: &output) }
      appendAuthority(value, to: &output)
    case .percentEncoded:
      guard let redacted = redactedEncoded(value) else { return false }
      output = redacted
    case .credentials: appendCredentials(value, to: &output)
    case .cookies, .setCookie: appendCookies(value, areSet: field == .setCookie, to: &output)
    case .protocols: appendProtocols(value, to: &output)
    case .whole: appendToken(of: value, to: &output)
    }
    return true
  }

  /// The value of a field without its secrets; `nil` when it has none. For lines that are not among a message's fields.
  package mutating func redacted(_ value: Span<UInt8>, ofFieldNamed name: Span<UInt8>) -> [UInt8]? {
    var output: [UInt8] = []
    return redact(value, of: rules.treatment(of: .other, name), into: &output) ? output : nil
  }

  /// Userinfo in an authority (RFC 9113 8.3.1 forbids it, but a log may hold anything).
  private mutating func appendAuthority(_ value: Span<UInt8>, to output: inout [UInt8]) {
    appendURL((Array("//".utf8) + [UInt8](copying: value)).span, to: &output)
    output.removeFirst(2)
  }

  /// Percent-encoded text, encoded again where it had secrets.
  private mutating func redactedEncoded(_ value: Span<UInt8>) -> [UInt8]? {
    var decoded: [UInt8] = []
    PercentEncoding.append(decoding: value, to: &decoded)
    guard let redacted = redacted(decoded.span) else { return nil }
    var output: [UInt8] = []
    PercentEncoding.append(redacted.span, keeping: Self.grpcMessageText, to: &output)
    return output
  }

  /// The bytes that `grpc-message` does not encode ("gRPC over HTTP2", Responses): printable ASCII without the percent sign.
  private static let grpcMessageText = ByteSet.unreserved.union(" !\"#$&'()*+,/:;<=>?@[\\]^`{|}")

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
    for line in 0..<fields.count { _ = hide(line, in: &recorded) }
    return recorded
  }

  /// Replaces the secrets of a line: of each line once, in order. Answers the value without them; `nil` when it has none.
  package mutating func hide(_ line: Int, in recorded: inout RecordedFields) -> [UInt8]? {
    let before = count
    var value: [UInt8] = []
    guard redactValue(of: recorded.fields, at: line, into: &value) else { return nil }
    recorded.append(value, at: line, count: count - before)
    return value
  }
}

/// How a header field's value holds secrets.
enum SecretField: Equatable {
  /// `Scheme credentials` (RFC 9110, 11.4).
  case credentials
  case cookies
  case setCookie
  /// A reference in which userinfo and parameters may be secrets.
  case url
  /// Host and port, before which there may be userinfo.
  case authority
  /// Text that is percent-encoded.
  case percentEncoded
  /// Protocol names, among which there may be a token.
  case protocols
  /// The value is a secret.
  case whole
  /// The value is ordinary text, which may still contain a secret.
  case text
  /// The value is of the protocol's own grammar; if it is not, it is text.
  case plain(PlainGrammar)
}

/// The grammar of a field whose value has no room for a secret. Everything else is searched.
enum PlainGrammar {
  /// `1*DIGIT` (RFC 9110 8.6).
  case digits
  /// An IMF-fixdate (RFC 9110 5.6.7).
  case date

  func matches(_ value: Span<UInt8>) -> Bool {
    switch self {
    case .digits: value.count <= 20 && value.end(of: Byte.isDigit, from: 0) == value.count
    case .date:
      value.count == 29 && value.matches(" GMT", at: 25) && value[3] == UInt8(ascii: ",") && value[19] == UInt8(ascii: ":")
        && value[22] == UInt8(ascii: ":") && value[4] == 0x20 && value[7] == 0x20 && value[11] == 0x20 && value[16] == 0x20
    }
  }
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
      if !name.isEmpty, name[0] == UInt8(ascii: ":") { return pseudoTreatment(of: name) }
      if name.ends(with: "cookie", in: name.indices) { return .cookies }
      if name.equals("authentication", in: name.indices) { return .credentials }
      if isSecret(name) { return .whole }
      if name.equals("grpc-message", in: name.indices) { return .percentEncoded }
      if name.equals("set-cookie2", in: name.indices) { return .setCookie }
      return name.equals("sec-websocket-protocol", in: name.indices) ? .protocols : .text
    case .proxyAuthenticate, .via, .proxyStatus, .contentType, .origin, .server, .userAgent, .wwwAuthenticate, .host, .altSvc:
      return .text
    case .contentLength, .maxForwards: return patterns.isEmpty ? .plain(.digits) : .text
    case .date: return patterns.isEmpty ? .plain(.date) : .text
    case .transferEncoding, .expect, .connection, .keepAlive, .proxyConnection, .te, .trailer, .upgrade, .accept, .acceptEncoding,
      .cacheControl, .contentEncoding, .retryAfter, .secWebSocketKey, .secWebSocketAccept:
      return .text
    }
  }

  /// RFC 9113 8.3.1.
  private func pseudoTreatment(of name: Span<UInt8>) -> SecretField {
    if name.equals(":path", in: name.indices) { return .url }
    if name.equals(":authority", in: name.indices) { return .authority }
    return .text
  }

  /// `X-Auth` is as secret as `auth`, and a signature is one of the message, by a secret that both sides have.
  private func isSecret(_ name: Span<UInt8>) -> Bool {
    if names.contains(name) { return true }
    let end = name.end(of: { !Byte.isDigit($0) }, from: 0)
    if name.ends(with: "signature", in: 0..<name.count) || end > 10 && name.ends(with: "signature-", in: 0..<end) { return true }
    return name.starts(with: "x-", in: 0..<name.count) && names.contains(name.extracting(2..<name.count))
  }
}
