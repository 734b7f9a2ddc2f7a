internal import CVectors

/// Finds special bytes in a string, eight bytes at a time.
enum StringBytes {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  /// How many bytes at the start of `word` (in memory order) are ASCII and need no escape: 0 to 8.
  @inline(__always)
  static func plainCount(in word: UInt64) -> Int {
    ((special(in: word) | word) & highs).littleEndian.trailingZeroBitCount >> 3
  }

  /// Copies bytes at the start that are ASCII and need no escape: all of them, or eight. Writes up to eight bytes more.
  @unsafe @inline(__always)
  static func copyPlainPrefix(_ bytes: UnsafePointer<UInt8>, count: Int, to place: UnsafeMutablePointer<UInt8>) -> Int {
    if count >= 32 { return unsafe json_copy_plain(bytes, count, place) }
    let word =
      unsafe count >= 8 ? UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self) : word(of: bytes, count: count)
    unsafe UnsafeMutableRawPointer(place).storeBytes(of: word, as: UInt64.self)
    return min(plainCount(in: word), count)
  }

  /// Copies the bytes, and up to eight bytes after them. Returns whether all are ASCII and need no escape.
  @unsafe @inline(__always)
  static func copyPlain(_ bytes: UnsafePointer<UInt8>, count: Int, to place: UnsafeMutablePointer<UInt8>) -> Bool {
    let source = unsafe UnsafeRawPointer(bytes)
    let target = UnsafeMutableRawPointer(place)
    var marks: UInt64 = 0
    if count >= 8 {
      // The last word overlaps the one before it.
      for place in stride(from: 0, to: count - 8, by: 8) {
        let word = unsafe source.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        unsafe target.storeBytes(of: word, toByteOffset: place, as: UInt64.self)
        marks |= special(in: word) | word
      }
      let last = unsafe source.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
      unsafe target.storeBytes(of: last, toByteOffset: count - 8, as: UInt64.self)
      marks |= special(in: last) | last
    } else if count > 0 {
      let word = unsafe word(of: bytes, count: count)
      unsafe target.storeBytes(of: word, as: UInt64.self)
      marks = special(in: word) | word
    }
    return marks & highs == 0
  }

  /// Fewer than eight bytes as a word, padded with blanks. Reads no memory beyond the bytes.
  @unsafe @inline(__always)
  static func word(of bytes: UnsafePointer<UInt8>, count: Int) -> UInt64 {
    var word = ones &* 0x20 &<< UInt64(count * 8)
    // Two loads of four bytes meet or overlap, and agree where they overlap; one to three bytes need three loads of one.
    if count >= 4 {
      let source = unsafe UnsafeRawPointer(bytes)
      word |= unsafe UInt64(source.loadUnaligned(as: UInt32.self).littleEndian)
      word |=
        unsafe UInt64(source.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self).littleEndian) &<< UInt64((count - 4) * 8)
    } else {
      let (middle, last) = (count / 2, count - 1)
      word |= unsafe UInt64(bytes[0]) | UInt64(bytes[middle]) &<< UInt64(middle * 8) | UInt64(bytes[last]) &<< UInt64(last * 8)
    }
    return word.littleEndian
  }

  /// The index of the next quote, backslash or control, from `start` on; `end` if none follows.
  @unsafe @inline(__always)
  static func nextSpecial(in bytes: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int {
    var index = start
    while end - index >= 8 {
      let word = unsafe UnsafeRawPointer(bytes + index).loadUnaligned(as: UInt64.self)
      let marks = special(in: word) & highs
      if marks != 0 { return index + marks.littleEndian.trailingZeroBitCount >> 3 }
      index += 8
    }
    while index < end, unsafe !isSpecial(bytes[index]) { index += 1 }
    return index
  }

  /// The index of the next quote or backslash, from `start` on; `end` if none follows.
  @unsafe @inline(__always)
  static func nextQuoteOrBackslash(in bytes: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int {
    var index = start
    while end - index >= 8 {
      let word = unsafe UnsafeRawPointer(bytes + index).loadUnaligned(as: UInt64.self)
      let marks = quotesAndBackslashes(in: word) & highs
      if marks != 0 { return index + marks.littleEndian.trailingZeroBitCount >> 3 }
      index += 8
    }
    while index < end, unsafe bytes[index] != UInt8(ascii: "\""), unsafe bytes[index] != UInt8(ascii: "\\") { index += 1 }
    return index
  }

  @inline(__always)
  private static func isSpecial(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// The high bit of the first quote, backslash or control, and perhaps of bytes after it: a borrow only goes upwards, so the
  /// lowest mark is exact. Ignore the other bits.
  @inline(__always)
  private static func special(in word: UInt64) -> UInt64 {
    let controls = (word &- ones &* 0x20) & ~word
    return controls | quotesAndBackslashes(in: word)
  }

  /// As `special`, for quotes and backslashes only.
  @inline(__always)
  private static func quotesAndBackslashes(in word: UInt64) -> UInt64 {
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let quotes = (quote &- ones) & ~quote
    let backslashes = (backslash &- ones) & ~backslash
    return quotes | backslashes
  }
}

/// Well-formed UTF-8 by table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing above U+10FFFF.
enum UTF8Sequence {
  /// The length of the well-formed sequence beyond ASCII that starts at `start`; 0 when `available` bytes hold no such sequence.
  @unsafe @inline(__always)
  static func length(at start: UnsafePointer<UInt8>, within available: Int) -> Int {
    let lead = unsafe start[0]
    switch lead {
    case 0xC2...0xDF:
      guard available >= 2, unsafe isContinuation(start[1]) else { return 0 }
      return 2
    case 0xE0...0xEF:
      guard available >= 3, unsafe isContinuation(start[1]), unsafe isContinuation(start[2]) else { return 0 }
      let second = unsafe start[1]
      if lead == 0xE0, second < 0xA0 { return 0 }
      if lead == 0xED, second > 0x9F { return 0 }
      return 3
    case 0xF0...0xF4:
      guard
        available >= 4, unsafe isContinuation(start[1]), unsafe isContinuation(start[2]), unsafe isContinuation(start[3])
      else { return 0 }
      let second = unsafe start[1]
      if lead == 0xF0, second < 0x90 { return 0 }
      if lead == 0xF4, second > 0x8F { return 0 }
      return 4
    default:
      return 0
    }
  }

  @inline(__always)
  private static func isContinuation(_ byte: UInt8) -> Bool {
    byte & 0xC0 == 0x80
  }
}
