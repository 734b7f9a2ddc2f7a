internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineText

extension EntryWriter {
  func append(_ version: HTTPVersion, to writer: inout JSONWriter) {
    if version == .http11 {
      writer.append(json: #""HTTP/1.1""#)
    } else {
      writer.append(string: version.text)
    }
  }

  /// Appends the elements of `headers`: one for each line, in order, as spelled.
  func append(_ recorded: RecordedFields, to writer: inout JSONWriter) {
    let bytes = recorded.fields.bytes
    for line in 0..<recorded.fields.count {
      writer.append(json: line == 0 ? #"{"name":"# : #",{"name":"#)
      writer.append(text: bytes.span.extracting(recorded.fields.nameRange(at: line)))
      writer.append(json: #","value":"#)
      recorded.withValue(at: line) { writer.append(text: $0) }
      writer.append(byte: UInt8(ascii: "}"))
    }
  }

  /// Appends the `Content-Type`, whose parameters may repeat a secret.
  mutating func append(_ media: MediaType, to writer: inout JSONWriter) {
    if redactor?.matcher.isNeeded == true, let hidden = redactor?.withoutEchoes(media.text.span) {
      writer.append(text: hidden.span)
    } else {
      media.append(to: &writer)
    }
  }
}
