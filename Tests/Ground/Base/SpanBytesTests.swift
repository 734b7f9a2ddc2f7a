import CVectors
import Testing

@testable import TapelineBase

@Suite("Bytes where they lie")
struct SpanBytesTests {
  @Test("Space and tab are trimmed, and nothing else (RFC 9110 5.6.3)")
  func trimming() {
    let bytes: [UInt8] = [0x20, 0x09, 0xA0, 0x0B, 0x20, 0x09]
    #expect(bytes.span.trimmed(0..<6) == 2..<4)
    #expect(bytes.span.trimmed(0..<2).isEmpty)
  }

  @Test("A byte is found from a place on")
  func searching() {
    let bytes = Array("a;b;".utf8)
    #expect(bytes.span.first(of: Byte.semicolon) == 1)
    #expect(bytes.span.first(of: Byte.semicolon, from: 2) == 3)
    #expect(bytes.span.first(of: Byte.semicolon, from: 4) == nil)
  }

  @Test("The first byte beyond ASCII is found in texts of every length, at every place, by vectors as one by one")
  func beyondASCII() {
    for length in 0..<100 {
      let plain = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) & 0x7F }
      #expect(plain.span.firstBeyondASCII == length)
      for place in 0..<length {
        var text = plain
        text[place] |= 0x80
        #expect(text.span.firstBeyondASCII == place)
        #expect(
          unsafe text.withUnsafeBufferPointer { unsafe byte_search_first_beyond_ascii_plain($0.baseAddress, length) } == place)
      }
    }
  }

  @Test("UTF-8 is told from other bytes, wherever the first byte beyond ASCII is")
  func wellFormedUTF8() {
    let ends: [(bytes: [UInt8], isWellFormed: Bool)] = [
      ([], true), ([0xC3, 0xA9], true), ([0xC3], false), ([0xA9], false), ([0xFF, 0x20], false),
    ]
    for before in [0, 1, 31, 32, 33, 70] {
      for (bytes, isWellFormed) in ends {
        let text = [UInt8](repeating: 0x61, count: before) + bytes
        #expect(text.span.isUTF8 == isWellFormed)
        #expect((text + [0x20]).span.isUTF8 == isWellFormed)
      }
    }
  }

  @Test("Text is compared in any case, within a range")
  func comparing() {
    let bytes = Array("xText/HTML;".utf8)
    func equals(_ text: StaticString, _ range: Range<Int>) -> Bool { bytes.span.equals(text, in: range) }
    func starts(_ text: StaticString, _ range: Range<Int>) -> Bool { bytes.span.starts(with: text, in: range) }
    #expect(equals("text/html", 1..<10) && !equals("text/html", 1..<11) && !equals("text/html", 1..<9))
    #expect(starts("text/", 1..<10) && !starts("text/", 1..<5) && starts("", 3..<3) && !starts("text/", 0..<10))
    // Letters only: `[` is not `{`.
    let brackets: [UInt8] = [UInt8(ascii: "[")]
    #expect(brackets.span.starts(with: "{", in: 0..<1) == false)
  }
}
