import Testing

@testable import TapelineHTTP

@Suite struct ByteRangeTests {
  @Test func aRangeComesBackAsItWas() {
    for range in [0..<0, 3..<9, 65_536..<131_072] { #expect(ByteRange(range).range == range) }
  }

  @Test func itIsHalfTheSize() {
    #expect(MemoryLayout<ByteRange>.size * 2 == MemoryLayout<Range<Int>>.size)
  }
}
