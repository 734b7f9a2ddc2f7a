/// A media type with its parameters (RFC 9110 8.3.1), read without copying.
package struct MediaType: Sendable {
  private let bytes: [UInt8]
  /// The whole value.
  private let value: Range<Int>
  /// Type and subtype.
  private let essenceRange: Range<Int>

  /// The value of a field in `bytes`.
  package init(in bytes: [UInt8], _ value: Range<Int>) {
    let span = bytes.span
    let end = span.extracting(0..<value.upperBound).first(of: Byte.semicolon, from: value.lowerBound) ?? value.upperBound
    self.bytes = bytes
    self.value = value
    essenceRange = span.trimmed(value.lowerBound..<end)
  }

  /// A separate value: blanks around it do not count.
  package init(_ text: String) {
    let bytes = Array(text.utf8)
    self.init(in: bytes, bytes.span.trimmed(bytes.indices))
  }

  package var isEmpty: Bool { value.isEmpty }

  /// The whole value.
  package var text: ArraySlice<UInt8> { bytes[value] }

  /// Type and subtype in lower case, without the parameters.
  package var essence: String {
    String(decoding: bytes[essenceRange].map(Byte.lowercased), as: UTF8.self)
  }

  /// The value of a parameter, without its quotes.
  ///
  /// - Parameter name: in lower case.
  package subscript(name: StaticString) -> [UInt8]? {
    guard essenceRange.upperBound < value.upperBound else { return nil }
    return FieldParameters.value(of: name, in: bytes.span.extracting(essenceRange.upperBound..<value.upperBound))
  }
}

// MARK: What it is a type of

extension MediaType {
  /// `application/x-www-form-urlencoded` (URL Standard 5).
  package var isForm: Bool { isExactly("application/x-www-form-urlencoded") }

  /// `multipart/form-data` (RFC 7578).
  package var isMultipartForm: Bool { isExactly("multipart/form-data") }

  package var isMultipart: Bool { begins(with: "multipart/") }

  /// Whether the body is a picture, sound or a font: nothing that could contain text.
  package var isMedia: Bool {
    guard !isText else { return false }
    return begins(with: "image/") || begins(with: "audio/") || begins(with: "video/") || begins(with: "font/")
  }

  /// Whether the body is meant to be read as characters; unknown bodies may be text, if they are UTF-8.
  package var isText: Bool {
    if essenceRange.isEmpty || begins(with: "text/") { return true }
    guard begins(with: "application/") || begins(with: "image/svg") else {
      return begins(with: "message/") || ends(with: "+xml") || ends(with: "+json")
    }
    let subtypes: [StaticString] = [
      "xml", "javascript", "x-www-form-urlencoded", "graphql", "yaml", "x-yaml", "sql",
    ]
    let span = bytes.span
    let slash = span.first(of: Byte.slash, from: essenceRange.lowerBound) ?? essenceRange.lowerBound
    let subtype = slash + 1..<essenceRange.upperBound
    return subtypes.contains { bytes.span.equals($0, in: subtype) } || ends(with: "json") || ends(with: "+xml")
      || ends(with: "+yaml")
  }

  private func isExactly(_ essence: StaticString) -> Bool {
    bytes.span.equals(essence, in: essenceRange)
  }

  private func begins(with text: StaticString) -> Bool {
    bytes.span.starts(with: text, in: essenceRange)
  }

  private func ends(with text: StaticString) -> Bool {
    let start = essenceRange.upperBound - text.utf8CodeUnitCount
    return start >= essenceRange.lowerBound && bytes.span.equals(text, in: start..<essenceRange.upperBound)
  }
}
