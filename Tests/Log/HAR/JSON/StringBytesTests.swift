import CVectors
import Testing

@testable import TapelineHAR

struct StringBytesTests {
  private func nextSpecial(in bytes: [UInt8]) -> Int {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      unsafe buffer.baseAddress.map { unsafe StringBytes.nextSpecial(in: $0, from: 0, to: buffer.count) } ?? 0
    }
  }

  private func nextQuoteOrBackslash(in bytes: [UInt8]) -> Int {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      unsafe buffer.baseAddress.map { unsafe StringBytes.nextQuoteOrBackslash(in: $0, from: 0, to: buffer.count) } ?? 0
    }
  }

  @Test func everyByteAtEveryPlace() {
    for byte in UInt8(0)...255 {
      let isSpecial = byte < 0x20 || byte == 0x22 || byte == 0x5C
      for place in 0..<20 {
        var bytes = [UInt8](repeating: 0x61, count: 24)
        bytes[place] = byte
        // What comes after the first may be anything.
        bytes[21] = 0x22
        #expect(nextSpecial(in: bytes) == (isSpecial ? place : 21))
        let ends = byte == 0x22 || byte == 0x5C
        #expect(nextQuoteOrBackslash(in: bytes) == (ends ? place : 21))
        let word = bytes.prefix(8).enumerated().reduce(UInt64(0)) { $0 | UInt64($1.element) << UInt64(8 * $1.offset) }
        #expect(
          StringBytes.plainCount(in: UInt64(littleEndian: word)) == (place < 8 && (isSpecial || byte >= 0x80) ? place : 8))
      }
    }
  }

  /// Every byte at each place of a block, and one at each place of texts of each length: by every processor's instructions, too.
  @Test func plainBytesAreCopiedUpToTheFirstOther() {
    for byte in UInt8(0)...255 {
      let isPlain = byte >= 0x20 && byte < 0x80 && byte != 0x22 && byte != 0x5C
      for place in 0..<32 { checkCopies(count: 32, special: isPlain ? nil : place, byte, at: place) }
    }
    for count in 0..<100 {
      for place in 0..<count { checkCopies(count: count, special: count < 32 ? 0 : place, 0x22, at: place) }
    }
  }

  private func checkCopies(count: Int, special: Int?, _ byte: UInt8, at place: Int) {
    var text = (0..<count).map { UInt8($0 % 26) + 0x61 }
    text[place] = byte
    // Just so much memory, for the address sanitizer to see.
    var copied = [UInt8](repeating: 0, count: count)
    let size = unsafe text.withUnsafeBufferPointer { text in
      unsafe copied.withUnsafeMutableBufferPointer { copied in
        unsafe json_copy_plain(text.baseAddress, count, copied.baseAddress)
      }
    }
    #expect(size == special ?? count)
    #expect(copied[..<size] == text[..<size])
  }

  @Test(arguments: 1...7)
  func fewBytesAreAWord(count: Int) {
    // Just so much memory, for the address sanitizer to see.
    let bytes = (1...count).map { UInt8($0) | 0x80 }
    let word = unsafe bytes.withUnsafeBufferPointer { buffer in
      unsafe buffer.baseAddress.map { unsafe StringBytes.word(of: $0, count: count) }
    }
    let expected = bytes + Array(repeating: 0x20, count: 8 - count)
    #expect(word.map { word in (0..<8).map { UInt8(truncatingIfNeeded: word.littleEndian >> UInt64($0 * 8)) } } == expected)
  }

  @Test func endsWhereTheTextEnds() {
    for count in 0..<20 {
      let bytes = [UInt8](repeating: 0x61, count: count)
      #expect(nextSpecial(in: bytes) == count)
      #expect(nextQuoteOrBackslash(in: bytes) == count)
    }
  }
}
