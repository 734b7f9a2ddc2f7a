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
  ///
  /// - Parameter isForm: whether `+` is a space, as in the names and values of a form and of most queries.
  package static func decode(_ text: some StringProtocol, isForm: Bool = false) -> [UInt8] {
    var output: [UInt8] = []
    append(decoding: Array(text.utf8).span, isForm: isForm, to: &output)
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

/// Base 16 (RFC 4648 8).
public enum Hexadecimal {
  /// The value of a digit in either case; `nil` for any other byte.
  @inlinable
  public static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  /// The lower-case digit of a value below 16.
  @inlinable
  public static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  /// The upper-case digit of a value below 16.
  @inlinable
  public static func capitalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }

  /// Two lower-case digits for each byte.
  package static func text(of bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.flatMap { [digit($0 >> 4), digit($0 & 0xF)] }, as: UTF8.self)
  }

  /// A number in lower-case digits, with leading zeros if it has fewer than `digits`.
  package static func text(of number: some UnsignedInteger, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}
