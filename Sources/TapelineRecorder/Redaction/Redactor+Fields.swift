internal import TapelineHTTP

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
  mutating func hidden(_ fields: HeaderFields) -> RecordedFields {
    var recorded = RecordedFields(fields)
    var value: [UInt8] = []
    for index in 0..<fields.count {
      let before = count
      if redactValue(of: fields, at: index, into: &value) { recorded.append(value, at: index, count: count - before) }
    }
    return recorded
  }
}
