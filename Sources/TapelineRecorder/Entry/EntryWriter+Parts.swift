internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP

extension EntryWriter {
  func append(_ version: HTTPVersion, to writer: inout JSONWriter) {
    if version == .http11 {
      writer.append(json: #""HTTP/1.1""#)
    } else {
      writer.append(string: version.text)
    }
  }

  /// Appends the elements of `headers`: one for each line, in order, as spelled.
  mutating func append(_ fields: HeaderFields, to writer: inout JSONWriter) {
    let octets = fields.octets
    for index in 0..<fields.count {
      writer.append(json: index == 0 ? #"{"name":"# : #",{"name":"#)
      writer.append(text: octets.span.extracting(fields.nameRange(at: index)))
      writer.append(json: #","value":"#)
      appendValue(of: fields, at: index, to: &writer)
      writer.append(octet: UInt8(ascii: "}"))
    }
  }

  /// Appends the value of one line, without its secrets.
  mutating func appendValue(of fields: HeaderFields, at index: Int, to writer: inout JSONWriter) {
    if redactor?.redactValue(of: fields, at: index, into: &scratch) == true {
      writer.append(text: scratch.span)
    } else {
      let octets = fields.octets
      writer.append(text: octets.span.extracting(fields.valueRange(at: index)))
    }
  }
}
