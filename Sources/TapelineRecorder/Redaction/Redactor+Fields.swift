internal import TapelineHTTP

extension Redactor {
  /// Makes `output` the value of a line without its secrets; `false` when it has none, and the value is to be taken as it is.
  mutating func redactValue(of fields: borrowing HeaderFields, at index: Int, into output: inout [UInt8]) -> Bool {
    let octets = fields.octets
    let field = rules.treatment(of: fields.knownName(at: index), octets.span.extracting(fields.nameRange(at: index)))
    return redact(octets.span.extracting(fields.valueRange(at: index)), of: field, into: &output)
  }

  /// Makes `output` the value without its secrets; `false` when it has none, and the value is to be taken as it is.
  mutating func redact(_ value: Span<UInt8>, of field: SecretField, into output: inout [UInt8]) -> Bool {
    output.removeAll(keepingCapacity: true)
    switch field {
    case .plain: return false
    case .text:
      guard let redacted = redacted(value) else { return false }
      output = redacted
    case .url: redactURL(value, into: &output)
    case .credentials: appendCredentials(value, to: &output)
    case .cookies: appendCookies(value, to: &output)
    case .setCookie: appendSetCookie(value, to: &output)
    case .whole: appendToken(of: value, to: &output)
    }
    return true
  }

  /// The lines without their secrets.
  mutating func redacted(_ fields: HeaderFields) -> HeaderFields {
    var result = HeaderFields()
    var value: [UInt8] = []
    for index in 0..<fields.count {
      let isChanged = redactValue(of: fields, at: index, into: &value)
      result.append(
        name: fields.name(at: index), value: isChanged ? String(decoding: value, as: UTF8.self) : fields.value(at: index))
    }
    return result
  }
}
