import Testing

@testable import TapelineCore

@Suite struct ContentRangeTests {
  @Test("Parts and unsatisfied ranges (RFC 9110 14.4)")
  func reading() {
    #expect(ContentRange("bytes 5-9/10") == .part(first: 5, last: 9, length: 10))
    #expect(ContentRange("Bytes 0-0/*") == .part(first: 0, last: 0, length: nil))
    #expect(ContentRange("bytes */47022") == .unsatisfied(length: 47_022))
  }

  @Test(
    "Text that is not a content range does not parse",
    arguments: [
      "", "bytes", "bytes ", "bytes 5-9", "bytes 9-5/10", "bytes 5-10/10", "bytes */*", "lines 1-2/3", "bytes -5/10",
      "bytes 5-/10", "bytes +5-9/10", "bytes 5-9/10/11", "bytes 5-9/x", "bytes 99999999999999999999-1/*",
    ])
  func refusing(text: String) {
    #expect(ContentRange(text) == nil)
  }
}
