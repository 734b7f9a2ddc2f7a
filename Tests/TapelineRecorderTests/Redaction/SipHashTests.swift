import Testing

@testable import TapelineRecorder

struct SipHashTests {
  /// From the reference implementation: key 00 01 … 0f, input the first n bytes of 00 01 02 ….
  @Test(arguments: [
    (0, 0x726f_db47_dd0e_0e31), (1, 0x74f8_39c5_93dc_67fd), (7, 0xab02_00f5_8b01_d137), (8, 0x93f5_f579_9a93_2462),
    (15, 0xa129_ca61_49be_45e5), (63, 0x958a_324c_eb06_4572),
  ])
  func vectors(count: Int, expected: UInt64) {
    let hash = SipHash(key: (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))
    let input = (0..<count).map { UInt8($0) }
    let value = hash.hash(input.span)
    #expect(value == expected)
  }
}
