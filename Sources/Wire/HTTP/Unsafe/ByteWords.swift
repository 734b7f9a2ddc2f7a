internal import TapelineBase

// The hot path of parsing and writing heads. Searches read eight bytes at a time; every load lies within the span's bytes.

extension Span<UInt8> {
  /// The first line feed at or after `start`, or `count`.
  func firstLineFeed(from start: Int) -> Int {
    firstIndex(of: Byte.lineFeed, from: start) ?? count
  }

  /// The first control byte other than HTAB at or after `start` (CR and LF among them), or `count`.
  package func firstControl(from start: Int) -> Int {
    var index = start
    while true {
      index = firstMarked(from: index) { word in
        // Exact for the lowest byte marked; a borrow may mark others above it.
        let delete = word ^ (0x7F * Self.ones)
        return ((word &- 0x20 * Self.ones) & ~word | (delete &- Self.ones) & ~delete) & Self.highBits
      }
      guard index < count, self[index] == Byte.tab else { return index }
      index += 1
    }
  }

  /// The first byte at or after `start` that may not be in a token, or `count`. Skips letters and hyphens eight at a time.
  @inline(__always)
  package func firstNonToken(from start: Int) -> Int {
    var index = start
    while true {
      index = firstMarked(from: index) { word in
        let low = word & ~Self.highBits
        let folded = low | 0x20 * Self.ones
        let atLeastA = folded &+ (0x80 - 0x61) * Self.ones
        let aboveZ = folded &+ (0x80 - 0x7B) * Self.ones
        let otherThanHyphen = (low ^ 0x2D * Self.ones) &+ 0x7F * Self.ones
        return ~(atLeastA & ~aboveZ | ~otherThanHyphen) & Self.highBits | word & Self.highBits
      }
      guard index < count, ByteSet.token.contains(self[index]) else { return index }
      index += 1
    }
  }

  private static var ones: UInt64 { 0x0101_0101_0101_0101 }
  private static var highBits: UInt64 { 0x8080_8080_8080_8080 }

  /// The first byte at or after `start` whose high bit `mark` sets in the word that contains the byte, or `count`.
  @inline(__always)
  private func firstMarked(from start: Int, _ mark: (UInt64) -> UInt64) -> Int {
    unsafe withUnsafeBytes { bytes in
      var index = start
      while index + 8 <= bytes.count {
        let marks = mark(UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
        if marks != 0 { return index + marks.trailingZeroBitCount >> 3 }
        index += 8
      }
      if index < bytes.count, bytes.count - start >= 8 {
        // The last eight bytes, of which the first have no mark.
        index = bytes.count - 8
        let marks = mark(UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
        return marks == 0 ? bytes.count : index + marks.trailingZeroBitCount >> 3
      }
      while index < bytes.count {
        // The byte is alone in the lowest place: marks in the other places do not count.
        if mark(UInt64(unsafe bytes[index])) & 0x80 != 0 { return index }
        index += 1
      }
      return bytes.count
    }
  }
}
