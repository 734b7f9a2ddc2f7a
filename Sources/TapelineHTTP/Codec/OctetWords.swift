internal import Glibc

// The hot path of parsing and writing heads: the only file of this module with unsafe code. Searches go eight octets at a time; every
// load lies in the octets that the span has.

extension Span<UInt8> {
  /// Eight octets from `index` on; the first is the least significant.
  func word(at index: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  /// The first line feed at or after `start`, or `count`.
  func firstLineFeed(from start: Int) -> Int {
    unsafe withUnsafeBytes { octets in
      guard start < octets.count, let base = octets.baseAddress,
        let found = unsafe memchr(base + start, Int32(Octet.lineFeed), octets.count - start)
      else { return octets.count }
      return unsafe UnsafeRawPointer(found) - base
    }
  }

  /// The first control octet other than HTAB at or after `start` (CR and LF among them), or `count`.
  func firstControl(from start: Int) -> Int {
    var index = start
    while true {
      index = firstMarked(from: index) { word in
        // Exact for the lowest octet marked; a borrow may mark others above it.
        let delete = word ^ (0x7F * Self.ones)
        return ((word &- 0x20 * Self.ones) & ~word | (delete &- Self.ones) & ~delete) & Self.highBits
      }
      guard index < count, self[index] == Octet.tab else { return index }
      index += 1
    }
  }

  /// The first octet at or after `start` that is not in a token, or `count`. Letters and hyphens are passed eight at a time.
  func firstNonToken(from start: Int) -> Int {
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
      guard index < count, OctetSet.token.contains(self[index]) else { return index }
      index += 1
    }
  }

  private static var ones: UInt64 { 0x0101_0101_0101_0101 }
  private static var highBits: UInt64 { 0x8080_8080_8080_8080 }

  /// The first octet at or after `start` whose high bit `mark` sets in the word where it lies, or `count`.
  @inline(__always)
  private func firstMarked(from start: Int, _ mark: (UInt64) -> UInt64) -> Int {
    unsafe withUnsafeBytes { octets in
      var index = start
      while index + 8 <= octets.count {
        let marks = mark(UInt64(littleEndian: unsafe octets.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
        if marks != 0 { return index + marks.trailingZeroBitCount >> 3 }
        index += 8
      }
      while index < octets.count {
        // Alone in the lowest octet: the others do not count.
        if mark(UInt64(unsafe octets[index])) & 0x80 != 0 { return index }
        index += 1
      }
      return octets.count
    }
  }
}

extension [UInt8] {
  /// A copy of exactly these octets.
  init(copying octets: Span<UInt8>) {
    self = unsafe octets.withUnsafeBufferPointer { unsafe [UInt8]($0) }
  }

  mutating func append(octets: Span<UInt8>) {
    unsafe octets.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Appends `range` of `other`: one copy, no intermediate.
  mutating func append(_ range: Range<Int>, of other: [UInt8]) {
    append(octets: other.span.extracting(range))
  }

  /// Makes room for `more` octets at once, and keeps growth geometric when the array is appended to again and again.
  mutating func reserveRoom(for more: Int) {
    guard capacity - count < more else { return }
    reserveCapacity(Swift.max(count + more, capacity * 2))
  }
}
