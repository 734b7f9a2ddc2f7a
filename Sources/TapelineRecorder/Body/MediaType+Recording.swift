internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineText

extension MediaType {
  /// The `Content-Type` of a message.
  init(of fields: HeaderFields) {
    let index = fields.firstIndex(of: .contentType)
    self.init(in: fields.bytes, index.map { fields.valueRange(at: $0) } ?? 0..<0)
  }

  /// The label of the text's encoding.
  var charset: [UInt8]? { self["charset"] }

  /// The delimiter between the parts of a form; `nil` when the body is not a form (RFC 7578).
  var boundary: [UInt8]? { isMultipartForm ? self["boundary"] : nil }

  /// The boundary; if the header of a form does not name it, the first line of the body does.
  func boundary(of body: Span<UInt8>) -> [UInt8]? {
    guard isMultipartForm else { return nil }
    if let boundary { return boundary }
    guard body.matches("--", at: 0) else { return nil }
    return body.extracting(body.trimmed(2..<body.endOfLine(from: 2))).array
  }

  /// Appends the value as a JSON string; `x-unknown` when it is empty.
  func append(to writer: inout JSONWriter) {
    if isEmpty {
      writer.append(json: #""x-unknown""#)
    } else {
      writer.append(text: text.span)
    }
  }
}
