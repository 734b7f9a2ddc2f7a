import Testing

@testable import TapelineHAR

struct JSONOctetsTests {
  @Test func everyOctet() {
    for octet in UInt8(0)...255 {
      let character = Character(Unicode.Scalar(octet))
      #expect(JSONOctets.isWhiteSpace(octet) == " \n\r\t".unicodeScalars.contains(Unicode.Scalar(octet)))
      #expect(JSONOctets.isDigit(octet) == ("0"..."9").contains(character))
      #expect(JSONOctets.beginsValue(octet) == "{[\"tfn-0123456789".unicodeScalars.contains(Unicode.Scalar(octet)))
    }
  }
}
