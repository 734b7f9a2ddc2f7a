import TapelineCore
import Testing

@Suite struct IncrementalUTF8DecoderTests {
  @Test func everyCut() {
    let text = "a\u{E4}\u{20AC}\u{1F600}z"
    let bytes = Array(text.utf8)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        var decoder = IncrementalUTF8Decoder()
        var result = ""
        for piece in [bytes[..<first], bytes[first..<second], bytes[second...]] {
          result += decoder.decode(Array(piece).span)
        }
        result += decoder.finish()
        #expect(result == text, "cut at \(first) and \(second)")
      }
    }
  }

  @Test func byteByByte() {
    var decoder = IncrementalUTF8Decoder()
    #expect([UInt8]([0xE2]).map { decoder.decode([$0].span) } == [""])
    #expect(decoder.decode([0x82].span) == "")
    #expect(decoder.decode([0xAC].span) == "\u{20AC}")
    #expect(decoder.finish() == "")
  }

  @Test func whatIsNoUTF8() {
    var decoder = IncrementalUTF8Decoder()
    #expect(decoder.decode([0x61, 0xFF, 0x62].span) == "a\u{FFFD}b")
    #expect(decoder.decode([0x80, 0x80, 0x80, 0x80].span) == String(repeating: "\u{FFFD}", count: 4))
    #expect(decoder.decode([0xF0, 0x9F].span) == "")
    #expect(decoder.decode([0x61].span) == "\u{FFFD}a")
    #expect(decoder.decode([0xC3].span) == "")
    #expect(decoder.finish() == "\u{FFFD}")
    #expect(decoder.finish() == "")
  }
}
