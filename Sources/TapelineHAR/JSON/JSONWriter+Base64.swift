internal import TapelineText

extension JSONWriter {
  /// Appends `bytes` as a JSON string in base64 (RFC 4648, section 4, with padding).
  public mutating func append(base64 bytes: Span<UInt8>) {
    let size = Base64.encodedSize(of: bytes.count)
    reserve(size + 2)
    append(byte: UInt8(ascii: "\""))
    unsafe bytes.withUnsafeBufferPointer { unsafe Base64.encode($0, to: base + written) }
    written += size
    append(byte: UInt8(ascii: "\""))
  }
}
