/// Finds where a JSON value ends without reading it, and resumes when more bytes have come.
///
/// It only tells strings from structure; the parser checks the value.
struct ValueScanner: Sendable {
  private var depth = 0
  private var isInString = false
  /// A backslash was the last byte seen.
  private var isEscaped = false
  /// Begun, but without a bracket or quote: a number or a word, which ends before the next delimiter.
  private var isBare = false
  /// Offset from the value's start of the first byte that has not been looked at.
  private(set) var scanned = 0

  /// The value's length, once its end is among `bytes`, which begin with the value.
  ///
  /// - Parameter isLast: no bytes will follow, so the end of the text ends a number.
  mutating func length(in bytes: Span<UInt8>, isLast: Bool) -> Int? {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return nil }
      return unsafe length(in: start, end: buffer.count, isLast: isLast)
    }
  }

  @unsafe
  private mutating func length(in bytes: UnsafePointer<UInt8>, end: Int, isLast: Bool) -> Int? {
    while scanned < end {
      if isInString {
        unsafe skipString(in: bytes, end: end)
        if !isInString, depth == 0 { return scanned }
        continue
      }
      switch unsafe bytes[scanned] {
      case UInt8(ascii: "\""):
        if isBare { return scanned }
        isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if isBare { return scanned }
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if isBare { return scanned }
        depth -= 1
        if depth <= 0 { return scanned + 1 }
      case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: ":"):
        if isBare { return scanned }
      default:
        if depth == 0 { isBare = true }
      }
      scanned += 1
    }
    return isLast && isBare ? scanned : nil
  }

  @unsafe
  private mutating func skipString(in bytes: UnsafePointer<UInt8>, end: Int) {
    while scanned < end {
      if isEscaped {
        isEscaped = false
        scanned += 1
        continue
      }
      let special = unsafe StringBytes.nextQuoteOrBackslash(in: bytes, from: scanned, to: end)
      scanned = min(special + 1, end)
      guard special < end else { return }
      if unsafe bytes[special] == UInt8(ascii: "\"") {
        isInString = false
        return
      }
      isEscaped = true
    }
  }
}
