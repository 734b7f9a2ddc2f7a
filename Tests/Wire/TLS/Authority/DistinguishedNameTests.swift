import Testing

@testable import TapelineTLS

@Suite("Distinguished name")
struct DistinguishedNameTests {
  @Test("A common name is one attribute in UTF-8")
  func commonName() {
    #expect(
      DistinguishedName(commonName: "é").value.bytes
        == [0x30, 0x0D, 0x31, 0x0B, 0x30, 0x09, 0x06, 0x03, 0x55, 0x04, 0x03, 0x0C, 0x02, 0xC3, 0xA9])
  }

  @Test("Nobody is an empty sequence")
  func empty() {
    #expect(DistinguishedName.empty.value.bytes == [0x30, 0x00])
  }

  @Test("A common name of more than 64 characters is a bug of ours")
  func tooLong() async {
    await #expect(processExitsWith: .failure) {
      _ = DistinguishedName(commonName: String(repeating: "x", count: 65))
    }
  }
}
