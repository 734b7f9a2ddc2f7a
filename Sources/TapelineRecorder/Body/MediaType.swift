internal import TapelineHAR
internal import TapelineHTTP

/// The `Content-Type` of a message, looked at where it lies.
struct MediaType {
  private let bytes: [UInt8]
  /// All of the value.
  private let value: Range<Int>
  /// Type and subtype.
  private let essence: Range<Int>

  init(of fields: HeaderFields) {
    let bytes = fields.bytes
    self.bytes = bytes
    guard let index = fields.firstIndex(of: .contentType) else {
      value = 0..<0
      essence = 0..<0
      return
    }
    let value = fields.valueRange(at: index)
    self.value = value
    essence = Self.essence(of: bytes.span, value)
  }

  /// The `mimeType` of a log.
  init(_ text: String) {
    let bytes = Array(text.utf8)
    let value = bytes.span.trimmedBlanks(bytes.indices)
    self.bytes = bytes
    self.value = value
    essence = Self.essence(of: bytes.span, value)
  }

  /// Up to the parameters.
  private static func essence(of bytes: Span<UInt8>, _ value: Range<Int>) -> Range<Int> {
    let end = bytes.first(of: UInt8(ascii: ";"), from: value.lowerBound) ?? value.upperBound
    return bytes.trimmedBlanks(value.lowerBound..<min(end, value.upperBound))
  }

  var isEmpty: Bool { value.isEmpty }

  /// All of the value.
  var text: [UInt8] { bytes.span.extracting(value).array }

  var isForm: Bool { bytes.span.equals("application/x-www-form-urlencoded", in: essence) }

  var isMultipart: Bool { bytes.span.starts(with: "multipart/", in: essence) }

  /// Whether the body is a picture, sound or a font: nothing that text could stand in.
  var isMedia: Bool {
    let span = bytes.span
    guard !isText else { return false }
    return span.starts(with: "image/", in: essence) || span.starts(with: "audio/", in: essence)
      || span.starts(with: "video/", in: essence) || span.starts(with: "font/", in: essence)
  }

  /// The label of the text's encoding.
  var charset: [UInt8]? { parameter("charset") }

  /// What separates the parts of a form; `nil` when it is none (RFC 7578).
  var boundary: [UInt8]? {
    bytes.span.equals("multipart/form-data", in: essence) ? parameter("boundary") : nil
  }

  /// The boundary, also of a form that does not say it: its first line does.
  func boundary(of body: Span<UInt8>) -> [UInt8]? {
    guard bytes.span.equals("multipart/form-data", in: essence) else { return nil }
    if let boundary { return boundary }
    guard body.matches("--", at: 0) else { return nil }
    return body.extracting(body.trimmedBlanks(2..<body.endOfLine(from: 2))).array
  }

  /// The value of a parameter, without its quotes.
  private func parameter(_ name: StaticString) -> [UInt8]? {
    guard essence.upperBound < value.upperBound else { return nil }
    return FieldParameters.value(of: name, in: bytes.span.extracting(essence.upperBound..<value.upperBound))
  }

  /// Whether the body is meant to be read as characters; unknown bodies may be, if they are UTF-8.
  var isText: Bool {
    let span = bytes.span
    if essence.isEmpty || span.starts(with: "text/", in: essence) { return true }
    guard span.starts(with: "application/", in: essence) || span.starts(with: "image/svg", in: essence) else {
      return span.starts(with: "message/", in: essence) || hasSuffix("+xml") || hasSuffix("+json")
    }
    let subtypes: [StaticString] = [
      "json", "xml", "javascript", "x-www-form-urlencoded", "x-ndjson", "graphql", "yaml", "x-yaml", "sql",
    ]
    let slash = span.first(of: UInt8(ascii: "/"), from: essence.lowerBound) ?? essence.lowerBound
    let subtype = slash + 1..<essence.upperBound
    return subtypes.contains { bytes.span.equals($0, in: subtype) } || hasSuffix("+json") || hasSuffix("+xml")
      || hasSuffix("+yaml")
  }

  private func hasSuffix(_ text: StaticString) -> Bool {
    let start = essence.upperBound - text.utf8CodeUnitCount
    return start >= essence.lowerBound && bytes.span.equals(text, in: start..<essence.upperBound)
  }

  /// Appends the value as a JSON string; `x-unknown` when there is none.
  func append(to writer: inout JSONWriter) {
    if isEmpty {
      writer.append(json: #""x-unknown""#)
    } else {
      writer.append(text: bytes.span.extracting(value))
    }
  }
}
