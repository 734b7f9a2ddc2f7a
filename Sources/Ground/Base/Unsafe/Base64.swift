internal import CVectors

/// Base64 (RFC 4648 4).
package enum Base64 {
  /// Deviations from whole groups of the alphabet that a text may have. Line ends are always skipped, as RFC 2045 6.8 requires.
  package enum Padding: Sendable {
    /// The last group is filled with `=`.
    case required
    /// The last group may be short. A single letter in it is an error: it makes no byte.
    case optional
    /// `=` is skipped everywhere, and bits that do not fill a byte are dropped: a text that was cut off gives what it has.
    case ignored
  }

  // MARK: Encoding

  /// The text of `bytes` in one line, with padding.
  package static func encode(_ bytes: Span<UInt8>) -> String {
    let size = encodedSize(of: bytes.count)
    return unsafe String(unsafeUninitializedCapacity: size) { output in
      guard let start = output.baseAddress else { return 0 }
      unsafe bytes.withUnsafeBufferPointer { unsafe encode($0, to: start) }
      return size
    }
  }

  package static func encode(_ bytes: [UInt8]) -> String {
    encode(bytes.span)
  }

  /// How many letters `byteCount` bytes have.
  package static func encodedSize(of byteCount: Int) -> Int {
    (byteCount + 2) / 3 * 4
  }

  /// Writes the letters of `input`.
  ///
  /// - Parameter start: of memory for `encodedSize(of: input.count)` letters.
  @unsafe
  package static func encode(_ input: UnsafeBufferPointer<UInt8>, to start: UnsafeMutablePointer<UInt8>) {
    let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    let letters = unsafe alphabet.utf8Start
    let wholeEnd = input.count - input.count % 3
    guard let bytes = input.baseAddress else { return }
    // Whole groups; none of them where there are no vectors.
    var index = unsafe base64_encode_most(bytes, input.count, start)
    var output = unsafe start + index / 3 * 4
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
    guard rest > 0 else { return }
    let group = unsafe UInt32(input[index]) << 16 | (rest == 2 ? UInt32(input[index + 1]) << 8 : 0)
    unsafe output[0] = letters[Int(group >> 18)]
    unsafe output[1] = letters[Int(group >> 12 & 63)]
    unsafe output[2] = rest == 2 ? letters[Int(group >> 6 & 63)] : UInt8(ascii: "=")
    unsafe output[3] = UInt8(ascii: "=")
  }

  // MARK: Decoding

  /// The bytes of `text`; `nil` when it is not base64.
  package static func decode(_ text: String, padding: Padding = .optional) -> [UInt8]? {
    var text = text
    return text.withUTF8 { unsafe decode(Span(_unsafeElements: $0), padding: padding) }
  }

  /// The bytes of `text`; `nil` when it is not base64.
  package static func decode(_ text: Span<UInt8>, padding: Padding = .optional) -> [UInt8]? {
    var isBase64 = false
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 3) { bytes, count in
      isBase64 = scan(text, padding) { byte in
        unsafe bytes[count] = byte
        count += 1
      }
    }
    return isBase64 ? bytes : nil
  }

  /// Whether `text` is base64; the bytes are not kept.
  package static func isValid(_ text: Span<UInt8>, padding: Padding = .required) -> Bool {
    scan(text, padding) { _ in }
  }

  /// Passes on the bytes of `text` one by one, and says at the end whether it was base64.
  @inline(__always)
  private static func scan(_ text: Span<UInt8>, _ padding: Padding, take: (UInt8) -> Void) -> Bool {
    func takeGroup(_ bits: UInt32) {
      take(UInt8(truncatingIfNeeded: bits >> 16))
      take(UInt8(truncatingIfNeeded: bits >> 8))
      take(UInt8(truncatingIfNeeded: bits))
    }
    var group: UInt32 = 0
    var letters = 0
    var signs = 0
    var index = 0
    while index < text.count {
      if letters % 4 == 0, signs == 0, let whole = wholeGroup(at: index, of: text) {
        takeGroup(whole)
        index += 4
        continue
      }
      let byte = text[index]
      index += 1
      if byte == Byte.lineFeed || byte == Byte.carriageReturn { continue }
      if byte == Byte.equals {
        signs += 1
        continue
      }
      guard let value = value(of: byte), signs == 0 || padding == .ignored else { return false }
      group = group << 6 | value
      letters += 1
      if letters % 4 == 0 { takeGroup(group) }
    }
    switch letters % 4 {
    case 2:
      take(UInt8(truncatingIfNeeded: group >> 4))
    case 3:
      take(UInt8(truncatingIfNeeded: group >> 10))
      take(UInt8(truncatingIfNeeded: group >> 2))
    default:
      break
    }
    return switch padding {
    case .required: signs <= 2 && (letters + signs) % 4 == 0
    case .optional: signs <= 2 && letters % 4 != 1
    case .ignored: true
    }
  }

  /// The bits of four letters that follow one another, as nearly all do.
  @inline(__always)
  private static func wholeGroup(at index: Int, of text: Span<UInt8>) -> UInt32? {
    guard index + 4 <= text.count, let first = value(of: text[index]), let second = value(of: text[index + 1]),
      let third = value(of: text[index + 2]), let fourth = value(of: text[index + 3])
    else { return nil }
    return first << 18 | second << 12 | third << 6 | fourth
  }

  @inline(__always)
  private static func value(of letter: UInt8) -> UInt32? {
    guard letter < 128 else { return nil }
    let value = unsafe values.utf8Start[Int(letter)] - firstValue
    return value < 64 ? UInt32(value) : nil
  }

  /// By ASCII code, the value of each letter as a character that much above `firstValue`; `~` for what is no letter.
  private static let values: StaticString = #"""
    ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~^~~~_TUVWXYZ[\]~~~~~~\#
    ~ !"#$%&'()*+,-./0123456789~~~~~~:;<=>?@ABCDEFGHIJKLMNOPQRS~~~~~
    """#
  private static let firstValue = UInt8(ascii: " ")
}
