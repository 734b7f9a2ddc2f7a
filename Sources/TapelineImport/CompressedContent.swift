internal import TapelineCoding
internal import TapelineHAR
internal import TapelineHTTP

/// Content that a log has as it was on the wire, with its codings.
enum CompressedContent {
  /// No more is decoded.
  private static let limit = 64 << 20

  /// The content without its codings; `nil` if the header names none, or if it is not compressed any more.
  static func decoded(_ bytes: [UInt8], of headers: [HARHeader]) -> [UInt8]? {
    guard bytes.starts(with: [0x1F, 0x8B]) || bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) else { return nil }
    var fields = HeaderFields()
    for header in headers where header.name.lowercased() == "content-encoding" && header.value.isPlain {
      fields.append(name: "Content-Encoding", value: header.value)
    }
    let (codings, unknown) = ContentCoding.outermost(in: fields)
    guard !codings.isEmpty, unknown == nil else { return nil }
    let (output, wrong) = ContentDecoder().decodeAsFarAsItGoes(bytes, codings, limit: limit)
    return wrong == nil && !output.isPartial ? output.bytes : nil
  }
}

extension String {
  /// Whether it can be the value of a field.
  fileprivate var isPlain: Bool { utf8.allSatisfy { (0x20..<0x7F).contains($0) } }
}
