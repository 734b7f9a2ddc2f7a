import Testing

@testable import TapelineHTTP

@Suite struct OctetRangeTests {
  @Test func aRangeComesBackAsItWas() {
    for range in [0..<0, 3..<9, 65_536..<131_072] { #expect(OctetRange(range).range == range) }
  }

  @Test func itIsHalfTheSize() {
    #expect(MemoryLayout<OctetRange>.size * 2 == MemoryLayout<Range<Int>>.size)
  }
}
