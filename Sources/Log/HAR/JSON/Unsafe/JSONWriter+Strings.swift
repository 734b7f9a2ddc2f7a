internal import CVectors
internal import TapelineBase

// Hot path: every byte of every recorded body and header passes here once.

extension JSONWriter {
  /// Appends `text` as a JSON string, quotes included.
  public mutating func append(string text: String) {
    let isWritten = append(utf8: text.utf8.span)
    precondition(isWritten, "a String is always well-formed UTF-8")
  }

  /// Appends `bytes` as a JSON string when they are well-formed UTF-8; otherwise writes nothing and returns `false`.
  public mutating func append(utf8 bytes: Span<UInt8>) -> Bool {
    unsafe bytes.withUnsafeBufferPointer { unsafe appendQuoted($0) }
  }

  /// Appends `bytes` as a JSON string, each byte as the character with its number (ISO 8859-1): no byte is refused or lost.
  public mutating func append(latin1 bytes: Span<UInt8>) {
    append(byte: UInt8(ascii: "\""))
    for index in bytes.indices {
      let byte = bytes[index]
      reserve(6)
      if byte < 0x80 {
        unsafe appendEscapedASCII(byte)
      } else {
        unsafe base[written] = 0xC0 | byte >> 6
        unsafe base[written + 1] = 0x80 | byte & 0x3F
        written += 2
      }
    }
    append(byte: UInt8(ascii: "\""))
  }

  /// Appends `bytes` as text: UTF-8 if they are valid, otherwise ISO 8859-1, the rule for header fields (RFC 9110, 5.5).
  public mutating func append(text bytes: Span<UInt8>) {
    if !append(utf8: bytes) { append(latin1: bytes) }
  }

  @unsafe
  private mutating func appendQuoted(_ input: UnsafeBufferPointer<UInt8>) -> Bool {
    let start = written
    append(byte: UInt8(ascii: "\""))
    guard let first = input.baseAddress else {
      append(byte: UInt8(ascii: "\""))
      return true
    }
    guard unsafe appendEscaped(first, size: input.count) else {
      written = start
      return false
    }
    append(byte: UInt8(ascii: "\""))
    return true
  }

  @unsafe @inline(__always)
  private mutating func appendEscaped(_ input: UnsafePointer<UInt8>, size: Int) -> Bool {
    if size <= 64 {
      // A name or a value, as most strings are: copied and judged in one pass.
      reserve(size + 8)
      if unsafe StringBytes.copyPlain(input, count: size, to: base + written) {
        written += size
        return true
      }
    }
    return unsafe appendLong(input, size: size)
  }

  /// Copies many bytes at a time as long as no byte is a quote, a backslash, a control or beyond ASCII: mostly all of them at
  /// once.
  @unsafe
  private mutating func appendLong(_ input: UnsafePointer<UInt8>, size: Int) -> Bool {
    reserve(size)
    var index = unsafe json_copy_plain(input, size, base + written)
    written += index
    while index < size {
      // Room for a slice in the worst case (`\u00XX` for each byte), plus one word that the wide stores may touch.
      let sliceEnd = min(index + 4096, size)
      reserve((sliceEnd - index) * 6 + 8)
      while index < sliceEnd {
        let rest = sliceEnd - index
        let plain = unsafe StringBytes.copyPlainPrefix(input + index, count: rest, to: base + written)
        index += plain
        written += plain
        if plain == rest { continue }
        let byte = unsafe input[index]
        if byte < 0x80 {
          unsafe appendEscapedASCII(byte)
          index += 1
        } else {
          let length = unsafe UTF8Sequence.length(at: input + index, within: size - index)
          guard length > 0 else { return false }
          for offset in 0..<length {
            unsafe base[written + offset] = input[index + offset]
          }
          written += length
          index += length
        }
      }
    }
    return true
  }

  /// The caller has reserved six bytes.
  @unsafe @inline(__always)
  private mutating func appendEscapedASCII(_ byte: UInt8) {
    if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
      unsafe base[written] = byte
      written += 1
      return
    }
    unsafe base[written] = UInt8(ascii: "\\")
    if let short = Self.shortEscape(of: byte) {
      unsafe base[written + 1] = short
      written += 2
      return
    }
    unsafe base[written + 1] = UInt8(ascii: "u")
    unsafe base[written + 2] = UInt8(ascii: "0")
    unsafe base[written + 3] = UInt8(ascii: "0")
    unsafe base[written + 4] = UInt8(ascii: "0") + byte >> 4
    unsafe base[written + 5] = Hexadecimal.digit(byte & 0xF)
    written += 6
  }

  /// The character after the backslash in the two-character escapes of RFC 8259, section 7.
  private static func shortEscape(of byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
    case 0x08: UInt8(ascii: "b")
    case 0x09: UInt8(ascii: "t")
    case 0x0A: UInt8(ascii: "n")
    case 0x0C: UInt8(ascii: "f")
    case 0x0D: UInt8(ascii: "r")
    default: nil
    }
  }
}
