/// One part of a multipart body.
struct MultipartPart: Sendable {
  enum Content: Sendable {
    case data([UInt8])
    /// A stream with a declared length.
    case stream(UploadStream)
  }

  /// The header lines and the empty line after them.
  let header: [UInt8]
  let content: Content
  let length: UInt64

  init(headers: HTTPHeaders, content: Content, length: UInt64) {
    header = Array((headers.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n").utf8)
    self.content = content
    self.length = length
  }
}
