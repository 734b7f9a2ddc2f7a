import Testing

@testable import TapelineTLS

@Suite("DER value")
struct DERValueTests {
  @Test(
    "A length is as short as it can be",
    arguments: [
      (0, [0x00]), (127, [0x7F]), (128, [0x81, 0x80]), (255, [0x81, 0xFF]), (256, [0x82, 0x01, 0x00]),
      (65_536, [0x83, 0x01, 0x00, 0x00]),
    ] as [(Int, [UInt8])])
  func length(count: Int, length: [UInt8]) {
    let value = DERValue(0x04, [UInt8](repeating: 7, count: count))
    #expect(Array(value.bytes.prefix(1 + length.count)) == [0x04] + length)
    #expect(value.bytes.count == 1 + length.count + count)
  }

  @Test(
    "An integer has no needless zero and never turns negative",
    arguments: [
      ([], [0x02, 0x01, 0x00]), ([0], [0x02, 0x01, 0x00]), ([0x7F], [0x02, 0x01, 0x7F]), ([0x80], [0x02, 0x02, 0x00, 0x80]),
      ([0, 0, 1, 0], [0x02, 0x02, 0x01, 0x00]),
    ] as [([UInt8], [UInt8])])
  func integer(magnitude: [UInt8], bytes: [UInt8]) {
    #expect(DERValue.unsignedInteger(magnitude).bytes == bytes)
  }

  @Test("Times change their form in 2050")
  func times() {
    #expect(DERValue.time(2_524_607_999).bytes == [0x17, 13] + Array("491231235959Z".utf8))
    #expect(DERValue.time(2_524_608_000).bytes == [0x18, 15] + Array("20500101000000Z".utf8))
  }

  @Test("Members stand one after the other, marked members in their marks")
  func structure() {
    let value = DERValue.sequence(.boolean(true), .explicit(3, .bitString([0xA0], unusedBits: 5)), .implicit(2, [0x61]))
    #expect(
      value.bytes == [0x30, 14 - 2, 0x01, 0x01, 0xFF, 0xA3, 0x04, 0x03, 0x02, 0x05, 0xA0, 0x82, 0x01, 0x61])
  }
}
