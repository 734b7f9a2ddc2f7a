import Testing

@testable import TapelineHAR

struct StringOctetsTests {
  private func nextSpecial(in octets: [UInt8]) -> Int {
    unsafe octets.withUnsafeBufferPointer { buffer in
      unsafe buffer.baseAddress.map { unsafe StringOctets.nextSpecial(in: $0, from: 0, to: buffer.count) } ?? 0
    }
  }

  private func nextQuoteOrBackslash(in octets: [UInt8]) -> Int {
    unsafe octets.withUnsafeBufferPointer { buffer in
      unsafe buffer.baseAddress.map { unsafe StringOctets.nextQuoteOrBackslash(in: $0, from: 0, to: buffer.count) } ?? 0
    }
  }

  @Test func everyOctetAtEveryPlace() {
    for octet in UInt8(0)...255 {
      let isSpecial = octet < 0x20 || octet == 0x22 || octet == 0x5C
      for place in 0..<20 {
        var octets = [UInt8](repeating: 0x61, count: 24)
        octets[place] = octet
        // What comes after the first may be anything.
        octets[21] = 0x22
        #expect(nextSpecial(in: octets) == (isSpecial ? place : 21))
        let ends = octet == 0x22 || octet == 0x5C
        #expect(nextQuoteOrBackslash(in: octets) == (ends ? place : 21))
        let word = octets.prefix(8).enumerated().reduce(UInt64(0)) { $0 | UInt64($1.element) << UInt64(8 * $1.offset) }
        #expect(
          StringOctets.plainCount(in: UInt64(littleEndian: word)) == (place < 8 && (isSpecial || octet >= 0x80) ? place : 8))
      }
    }
  }

  @Test func everyOctetAmongThirtyTwo() {
    for octet in UInt8(0)...255 {
      let isPlain = octet >= 0x20 && octet < 0x80 && octet != 0x22 && octet != 0x5C
      for place in 0..<32 {
        var octets = [UInt8](repeating: 0x61, count: 32)
        octets[place] = octet
        let arePlain = unsafe octets.withUnsafeBufferPointer { buffer in
          unsafe buffer.baseAddress.map { unsafe StringOctets.arePlain32($0) }
        }
        #expect(arePlain == isPlain)
      }
    }
  }

  @Test(arguments: 1...7)
  func fewOctetsAreAWord(count: Int) {
    // Just so much memory, for the address sanitizer to see.
    let octets = (1...count).map { UInt8($0) | 0x80 }
    let word = unsafe octets.withUnsafeBufferPointer { buffer in
      unsafe buffer.baseAddress.map { unsafe StringOctets.word(of: $0, count: count) }
    }
    let expected = octets + Array(repeating: 0x20, count: 8 - count)
    #expect(word.map { word in (0..<8).map { UInt8(truncatingIfNeeded: word.littleEndian >> UInt64($0 * 8)) } } == expected)
  }

  @Test func endsWhereTheTextEnds() {
    for count in 0..<20 {
      let octets = [UInt8](repeating: 0x61, count: count)
      #expect(nextSpecial(in: octets) == count)
      #expect(nextQuoteOrBackslash(in: octets) == count)
    }
  }
}
