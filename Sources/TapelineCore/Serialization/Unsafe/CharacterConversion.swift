internal import FoundationEssentials
internal import Glibc

/// Text of encodings that only the system knows, by iconv. A converter lives for one call.
enum CharacterConversion {
  /// Whether the system can decode the encoding called `name`.
  static func isKnown(_ name: String) -> Bool {
    guard let converter = unsafe open(name) else { return false }
    unsafe iconv_close(converter)
    return true
  }

  /// The text; `nil` when `data` is not what the encoding says, or the system does not know it.
  static func decode(_ data: Data, from name: String) -> String? {
    guard let converter = unsafe open(name) else { return nil }
    defer { unsafe iconv_close(converter) }
    var input = [CChar](data.map { CChar(bitPattern: $0) })
    // No encoding makes more than four bytes of UTF-8 from one of its own.
    var output = [CChar](repeating: 0, count: input.count * 4 + 16)
    var room = output.count
    let isWhole = unsafe input.withUnsafeMutableBufferPointer { source in
      unsafe output.withUnsafeMutableBufferPointer { target in
        var (from, to) = (source.baseAddress, target.baseAddress)
        var left = source.count
        let converted = unsafe iconv(converter, &from, &left, &to, &room)
        // A decoder may still owe a character that it held back to see what follows.
        guard converted != -1, left == 0 else { return false }
        return unsafe iconv(converter, nil, nil, &to, &room) != -1
      }
    }
    guard isWhole else { return nil }
    return String(validating: output.dropLast(room).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// iconv's state, for the caller to close; `nil` when the system does not know the encoding.
  private static func open(_ name: String) -> iconv_t? {
    // What stands behind a slash are options of iconv's own, which a server has no business to set.
    guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }) else { return nil }
    let opened = unsafe iconv_open("UTF-8", name)
    return unsafe opened == iconv_t(bitPattern: -1) ? nil : opened
  }
}
