import Testing

@testable import TapelineHAR

struct JSONBytesTests {
  @Test func everyByte() {
    for byte in UInt8(0)...255 {
      #expect(JSONBytes.isWhiteSpace(byte) == " \n\r\t".unicodeScalars.contains(Unicode.Scalar(byte)))
      #expect(JSONBytes.beginsValue(byte) == "{[\"tfn-0123456789".unicodeScalars.contains(Unicode.Scalar(byte)))
    }
  }
}
