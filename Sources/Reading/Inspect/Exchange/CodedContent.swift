internal import TapelineBase
internal import TapelineCoding
package import TapelineHAR
internal import TapelineHTTP

/// Content that a log has as it was on the wire, with its content codings, as Charles and others write it. Our logs, and those of
/// browsers, have it without codings.
package enum CodedContent {
  /// No more is decoded.
  private static let limit = 64 << 20

  /// The content without its codings; `nil` if the headers name none, or if the log has it without them.
  ///
  /// - Parameter wireSize: bytes on the wire, which only coded content has; −1 if they are not known.
  package static func decoded(_ bytes: [UInt8], of headers: [HARHeader], wireSize: Int) -> [UInt8]? {
    // Decoded content may be an archive, which begins like coded content.
    guard wireSize == bytes.count || wireSize < 0 && isMarked(bytes) else { return nil }
    let (codings, unknown) = codings(in: headers)
    guard !codings.isEmpty, unknown == nil else { return nil }
    let (output, wrong) = ContentDecoder().decodeAsFarAsItGoes(bytes, codings, limit: limit)
    return wrong == nil && !output.isPartial ? output.bytes : nil
  }

  /// Whether the headers name a coding.
  static func isNamed(in headers: [HARHeader]) -> Bool {
    let (codings, unknown) = codings(in: headers)
    return !codings.isEmpty || unknown != nil
  }

  /// The bytes of a text that has one character for each byte of coded content; `nil` for any other text.
  static func bytes(ofNarrow text: String) -> [UInt8]? {
    guard isMarked(text.unicodeScalars.prefix(4).map { UInt8(truncatingIfNeeded: $0.value) }) else { return nil }
    let bytes = text.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
    return bytes.count == text.unicodeScalars.count ? bytes : nil
  }

  /// Whether bytes begin as gzip or Zstandard do; the other codings have no mark.
  private static func isMarked(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x1F, 0x8B]) || bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
  }

  private static func codings(in headers: [HARHeader]) -> (codings: [ContentCoding], problem: DecodingError?) {
    var fields = HeaderFields()
    for header in headers where header.name.isSameName(as: "content-encoding") && header.value.isPlain {
      fields.append(name: "Content-Encoding", value: header.value)
    }
    return ContentCoding.outermost(in: fields)
  }
}

extension String {
  /// Whether it can be the value of a field.
  fileprivate var isPlain: Bool { utf8.allSatisfy { (0x20..<0x7F).contains($0) } }
}
