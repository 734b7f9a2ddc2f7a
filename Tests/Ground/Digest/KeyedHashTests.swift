import TapelineDigest
import Testing

@Suite("SipHash-2-4")
struct KeyedHashTests {
  /// The key 00 01 … 0f.
  private let hash = KeyedHash(key: (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))

  @Test(
    "The vectors of the reference implementation: the first n bytes of 00 01 02 …",
    arguments: [
      (0, 0x726f_db47_dd0e_0e31), (1, 0x74f8_39c5_93dc_67fd), (7, 0xab02_00f5_8b01_d137), (8, 0x93f5_f579_9a93_2462),
      (15, 0xa129_ca61_49be_45e5), (63, 0x958a_324c_eb06_4572),
    ])
  func vectors(count: Int, expected: UInt64) {
    let input = (0..<count).map { UInt8($0) }
    // The second time too: nothing stays of the message before.
    let values = (0..<2).map { _ in hash.hash(input.span) }
    #expect(values == [expected, expected])
  }

  @Test("Another key gives another hash")
  func keys() {
    let input: [UInt8] = [1, 2, 3]
    let values = [(1, 2), (2, 1)].map { key in KeyedHash(key: key).hash(input.span) }
    #expect(values[0] != values[1])
  }
}
