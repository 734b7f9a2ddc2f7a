internal import TapelineHTTP

extension Redactor {
  /// Whether values of this field can hold secrets.
  func hides(_ name: FieldName) -> Bool {
    name == .authorization || name == .proxyAuthorization || name == .cookie || name == .setCookie || name == .location
      || name == .referer
  }

  /// Appends the value of a field for which `hides` is true, without its secrets.
  mutating func append(_ value: Span<UInt8>, of name: FieldName, to output: inout [UInt8]) {
    if name == .cookie {
      appendCookies(value, to: &output)
    } else if name == .setCookie {
      appendSetCookie(value, to: &output)
    } else if name == .location || name == .referer {
      appendURL(value, to: &output)
    } else {
      appendCredentials(value, to: &output)
    }
  }

  /// The lines without their secrets.
  mutating func redacted(_ fields: HeaderFields) -> HeaderFields {
    var result = HeaderFields()
    let octets = fields.octets
    for index in 0..<fields.count {
      let name = fields.knownName(at: index)
      guard hides(name) else {
        result.append(name: fields.name(at: index), value: fields.value(at: index))
        continue
      }
      var value: [UInt8] = []
      append(octets.span.extracting(fields.valueRange(at: index)), of: name, to: &value)
      result.append(name: fields.name(at: index), value: String(decoding: value, as: UTF8.self))
    }
    return result
  }
}
