internal import Glibc

/// Brings text of other encodings to UTF-8, by iconv.
///
/// Owned by the recorder's thread; keeps a converter for each encoding that it has met.
final class TextTranscoder {
  private var converters: [LegacyCharset: Converter] = [:]

  /// iconv's state for one encoding.
  @safe
  private final class Converter {
    /// Owned; `nil` when this system does not have the encoding.
    let handle: iconv_t?

    init(_ charset: LegacyCharset) {
      let opened = unsafe iconv_open("UTF-8", charset.name)
      // iconv's error is a pointer of all ones.
      unsafe handle = unsafe opened == iconv_t(bitPattern: -1) ? nil : opened
    }

    deinit {
      if let handle = unsafe handle { unsafe iconv_close(handle) }
    }
  }

  /// The text as UTF-8; `nil` when it is not what its encoding says. A character that a truncated text ends in is left out.
  func transcode(_ text: Span<UInt8>, from charset: LegacyCharset, isTruncated: Bool) -> [UInt8]? {
    guard let handle = unsafe converter(for: charset).handle else { return nil }
    // No encoding makes more than three bytes of UTF-8 from one of its own, and few make more than two.
    var output = [UInt8](repeating: 0, count: text.count * 3 + 16)
    var made = 0
    let isWhole = unsafe text.withUnsafeBytes { input in
      unsafe output.withUnsafeMutableBytes { room in
        unsafe convert(input, with: handle, charset, to: room, count: &made, isTruncated: isTruncated)
      }
    }
    guard isWhole else { return nil }
    output.removeLast(output.count - made)
    return output
  }

  private func converter(for charset: LegacyCharset) -> Converter {
    if let known = converters[charset] { return known }
    let converter = Converter(charset)
    converters[charset] = converter
    return converter
  }

  @unsafe
  private func convert(
    _ input: UnsafeRawBufferPointer, with converter: iconv_t, _ charset: LegacyCharset,
    to room: UnsafeMutableRawBufferPointer, count made: inout Int, isTruncated: Bool
  ) -> Bool {
    unsafe iconv(converter, nil, nil, nil, nil)
    // iconv takes a pointer to mutable bytes and leaves them alone.
    var next = unsafe UnsafeMutableRawPointer(mutating: input.baseAddress)?.assumingMemoryBound(to: CChar.self)
    var rest = input.count
    var target = unsafe room.baseAddress?.assumingMemoryBound(to: CChar.self)
    var space = room.count
    defer { made = room.count - space }
    while rest > 0 {
      guard unsafe iconv(converter, &next, &rest, &target, &space) == -1 else { break }
      switch errno {
      case EINVAL:
        return isTruncated
      case EILSEQ where charset.mapsGapsToControls && space >= 2:
        guard let byte = unsafe next, let place = unsafe target else { return false }
        let value = unsafe UInt8(bitPattern: byte.pointee)
        unsafe place[0] = CChar(bitPattern: 0xC0 | value >> 6)
        unsafe place[1] = CChar(bitPattern: 0x80 | value & 0x3F)
        unsafe next = byte + 1
        unsafe target = place + 2
        rest -= 1
        space -= 2
      default:
        return false
      }
    }
    // What a stateful encoding still holds back.
    unsafe iconv(converter, nil, nil, &target, &space)
    return true
  }
}
