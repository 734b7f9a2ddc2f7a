import Testing

@testable import TapelineTLS

@Suite("Object identifier")
struct OIDTests {
  @Test("Arcs are written in base 128, the first two in one byte")
  func arcs() {
    #expect(OID(1, 2, 840, 113_549).bytes == [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D])
    #expect(OID(2, 5, 29, 17).bytes == [0x55, 0x1D, 0x11])
    #expect(OID(2, 5, 127, 128, 0).bytes == [0x55, 0x7F, 0x81, 0x00, 0x00])
  }
}
