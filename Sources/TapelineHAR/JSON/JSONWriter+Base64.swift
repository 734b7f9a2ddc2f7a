extension JSONWriter {
  /// Appends `bytes` as a JSON string in base64 (RFC 4648, section 4, with padding).
  public mutating func append(base64 bytes: Span<UInt8>) {
    reserve((bytes.count + 2) / 3 * 4 + 2)
    append(byte: UInt8(ascii: "\""))
    unsafe bytes.withUnsafeBufferPointer { unsafe appendBase64($0) }
    append(byte: UInt8(ascii: "\""))
  }

  /// The caller has reserved the room.
  @unsafe
  private mutating func appendBase64(_ input: UnsafeBufferPointer<UInt8>) {
    let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    let letters = unsafe alphabet.utf8Start
    let wholeEnd = input.count - input.count % 3
    var output = unsafe base + written
    var index = 0
    while index < wholeEnd {
      let group = unsafe UInt32(input[index]) << 16 | UInt32(input[index + 1]) << 8 | UInt32(input[index + 2])
      unsafe output[0] = letters[Int(group >> 18)]
      unsafe output[1] = letters[Int(group >> 12 & 63)]
      unsafe output[2] = letters[Int(group >> 6 & 63)]
      unsafe output[3] = letters[Int(group & 63)]
      unsafe output += 4
      index += 3
    }
    let rest = input.count - wholeEnd
    if rest > 0 {
      let group = unsafe UInt32(input[index]) << 16 | (rest == 2 ? UInt32(input[index + 1]) << 8 : 0)
      unsafe output[0] = letters[Int(group >> 18)]
      unsafe output[1] = letters[Int(group >> 12 & 63)]
      unsafe output[2] = rest == 2 ? letters[Int(group >> 6 & 63)] : UInt8(ascii: "=")
      unsafe output[3] = UInt8(ascii: "=")
      unsafe output += 4
    }
    unsafe written = output - base
  }
}
