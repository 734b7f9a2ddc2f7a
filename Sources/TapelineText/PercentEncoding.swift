/// Percent-encoding of bytes (RFC 3986 2.1).
package enum PercentEncoding {
  // MARK: Encoding

  /// `text` in UTF-8 with every byte percent-encoded that is not among those to keep.
  ///
  /// - Parameter isForm: whether a space becomes `+`, as in the names and values of a form.
  package static func encode(_ text: some StringProtocol, keeping kept: ByteSet, isForm: Bool = false) -> String {
    var output: [UInt8] = []
    output.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if isForm, byte == Byte.space {
        output.append(UInt8(ascii: "+"))
      } else {
        append(byte, keeping: kept, to: &output)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Appends `bytes`, each percent-encoded that is not among those to keep.
  package static func append(_ bytes: Span<UInt8>, keeping kept: ByteSet, to output: inout [UInt8]) {
    for index in bytes.indices { append(bytes[index], keeping: kept, to: &output) }
  }

  private static func append(_ byte: UInt8, keeping kept: ByteSet, to output: inout [UInt8]) {
    if kept.contains(byte) {
      output.append(byte)
    } else {
      append(encoded: byte, to: &output)
    }
  }

  /// Appends one byte as an escape, in upper case as RFC 3986 2.1 says.
  package static func append(encoded byte: UInt8, to output: inout [UInt8]) {
    output.append(Byte.percent)
    output.append(Hexadecimal.capitalDigit(byte >> 4))
    output.append(Hexadecimal.capitalDigit(byte & 0xF))
  }

  // MARK: Decoding

  /// The bytes of `text` with its escapes decoded; everything else stays as it is.
  package static func decode(_ text: some StringProtocol) -> [UInt8] {
    var output: [UInt8] = []
    append(decoding: Array(text.utf8).span, to: &output)
    return output
  }

  /// The text that `text` encodes; `nil` if a percent sign begins no escape, or if the bytes are not UTF-8.
  package static func decodeStrictly(_ text: some StringProtocol) -> String? {
    let bytes = Array(text.utf8)
    let isWhole = bytes.indices.allSatisfy { bytes[$0] != Byte.percent || isEscape(in: bytes.span, at: $0) }
    return isWhole ? String(validating: decode(text), as: UTF8.self) : nil
  }

  /// Appends `text` with its escapes decoded; everything else stays as it is.
  ///
  /// - Parameter isForm: whether `+` is a space, as in the names and values of a form and of most queries.
  package static func append(decoding text: Span<UInt8>, isForm: Bool = false, to output: inout [UInt8]) {
    output.reserveCapacity(output.count + text.count)
    var index = 0
    while index < text.count {
      let byte = text[index]
      if byte == Byte.percent, let decoded = escape(in: text, at: index) {
        output.append(decoded)
        index += 3
      } else {
        output.append(isForm && byte == UInt8(ascii: "+") ? Byte.space : byte)
        index += 1
      }
    }
  }

  /// Whether the percent sign at `index` begins an escape.
  package static func isEscape(in text: Span<UInt8>, at index: Int) -> Bool {
    escape(in: text, at: index) != nil
  }

  /// The byte that the escape at `index` encodes. Does not check the first byte of the escape.
  private static func escape(in text: Span<UInt8>, at index: Int) -> UInt8? {
    guard index + 2 < text.count, let high = Hexadecimal.value(of: text[index + 1]),
      let low = Hexadecimal.value(of: text[index + 2])
    else { return nil }
    return high << 4 | low
  }
}
