import Testing

@testable import TapelineHAR

struct StringOctetsTests {
  @Test func everyOctetAtEveryPlace() {
    for octet in UInt8(0)...255 {
      let isSpecial = octet < 0x20 || octet == 0x22 || octet == 0x5C
      for place in 0..<20 {
        var octets = [UInt8](repeating: 0x61, count: 24)
        octets[place] = octet
        // What comes after the first may be anything.
        octets[21] = 0x22
        let found = StringOctets.nextSpecial(in: octets.span, from: 0)
        #expect(found == (isSpecial ? place : 21))
        let word = octets.prefix(8).enumerated().reduce(UInt64(0)) { $0 | UInt64($1.element) << UInt64(8 * $1.offset) }
        #expect(
          StringOctets.plainCount(in: UInt64(littleEndian: word)) == (place < 8 && (isSpecial || octet >= 0x80) ? place : 8))
      }
    }
  }

  @Test func endsWhereTheTextEnds() {
    for count in 0..<20 {
      let octets = [UInt8](repeating: 0x61, count: count)
      let found = StringOctets.nextSpecial(in: octets.span, from: 0)
      #expect(found == count)
    }
  }
}
