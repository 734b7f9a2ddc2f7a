/// Writes the framing fields of a forwarded message: ours, once, in the place where the sender's stood.
struct FramingFields {
  private let framing: BodyFraming
  private var isWritten = false

  init(_ framing: BodyFraming) {
    self.framing = framing
  }

  static func areNamed(_ name: FieldName) -> Bool {
    name == .contentLength || name == .transferEncoding
  }

  /// In place of the Content-Length or Transfer-Encoding at `index`.
  mutating func replace(_ fields: HeaderFields, at index: Int, into output: inout [UInt8]) {
    guard !isWritten, fields.knownName(at: index) == ownName else { return }
    output.append(fields.nameRange(at: index), of: fields.octets)
    appendValue(into: &output)
  }

  /// At the end, where the sender had no such field.
  mutating func appendMissing(into output: inout [UInt8]) {
    guard !isWritten, let ownName else { return }
    output.append(contentsOf: ownName.spelling.utf8)
    appendValue(into: &output)
  }

  /// The one field that says how our content is framed.
  private var ownName: FieldName? {
    switch framing {
    case .length: .contentLength
    case .chunked: .transferEncoding
    case .none, .untilClose: nil
    }
  }

  private mutating func appendValue(into output: inout [UInt8]) {
    isWritten = true
    switch framing {
    case .length(let length):
      output.append(contentsOf: ": ".utf8)
      HeadSerializer.appendDecimal(length, into: &output)
      HeadSerializer.appendEnd(into: &output)
    case .chunked:
      output.append(contentsOf: ": chunked\r\n".utf8)
    case .none, .untilClose:
      preconditionFailure("no framing field is written for content without one")
    }
  }
}
