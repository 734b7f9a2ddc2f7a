internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP

/// How a body was written into the log.
enum BodyEncoding {
  case text
  case base64
}

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
    let octets = fields.octets
    let value = fields.valueRange(at: index)
    if let redactor, redactor.hides(fields.knownName(at: index)) {
      scratch.removeAll(keepingCapacity: true)
      self.redactor?.append(octets.span.extracting(value), of: fields.knownName(at: index), to: &scratch)
      writer.append(text: scratch.span)
    } else {
      writer.append(text: octets.span.extracting(value))
    }
  }

  /// Appends the kept octets of a body as a JSON string: as text when they are text, otherwise in base64.
  func append(_ body: BodyCapture, _ media: MediaType, _ fields: HeaderFields, to writer: inout JSONWriter) -> BodyEncoding {
    if media.isText, !fields.contains(.contentEncoding) {
      let end = body.isTruncated ? body.octets.span.endOfWholeCharacters : body.octets.count
      if writer.append(utf8: body.octets.span.extracting(0..<end)) { return .text }
    }
    writer.append(base64: body.octets.span)
    return .base64
  }

  /// Appends how many octets of a body are missing, if any are.
  func appendTruncation(of body: BodyCapture, to writer: inout JSONWriter) {
    guard body.isTruncated else { return }
    writer.append(json: #","_truncated":"#)
    writer.append(integer: body.size - UInt64(body.octets.count))
  }
}

extension Span<UInt8> {
  /// The end without a UTF-8 sequence that was cut off in the middle: a limit in octets knows no characters.
  var endOfWholeCharacters: Int {
    var start = count
    for _ in 0..<4 where start > 0 {
      start -= 1
      let octet = self[start]
      if octet < 0x80 { return count }
      if octet >= 0xC0 {
        let length = octet >= 0xF0 ? 4 : octet >= 0xE0 ? 3 : 2
        return count - start < length ? start : count
      }
    }
    return count
  }
}
