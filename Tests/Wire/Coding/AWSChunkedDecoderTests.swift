import Testing

@testable import TapelineCoding

struct AWSChunkedDecoderTests {
  @Test(
    arguments: [
      ("3;chunk-signature=ab\r\nabc\r\n2\r\nde\r\n0;chunk-signature=cd\r\nx-amz-a: b\r\n\r\n", "abcde", .complete),
      ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789", .complete), ("5\r\nab", "ab", .inputEnded),
      ("2\r\nab\r\n", "ab", .inputEnded),
      ("2\r\nab\r\n3;chu", "ab", .inputEnded), ("plain text", "plain text", .complete), (#"{"a":1}"#, #"{"a":1}"#, .complete),
      ("", "", .inputEnded), ("2\r\nab\r\nno chunk at all, and no size", "ab", .wrong("no size of a chunk")),
      ("FFFFFFFFFFFFFFFFFFFF\r\nab", "FFFFFFFFFFFFFFFFFFFF\r\nab", .complete),
    ] as [(String, String, DecodingStep.End)])
  func chunks(text: String, expected: String, end: DecodingStep.End) {
    let step = AWSChunkedDecoder.decode(Array(text.utf8).span, limit: 100)
    #expect(String(decoding: step.bytes, as: UTF8.self) == expected)
    #expect(step.end == end)
  }

  @Test func theLimitHolds() {
    let step = AWSChunkedDecoder.decode(Array("5\r\nabcde\r\n".utf8).span, limit: 3)
    #expect(step.bytes == Array("abc".utf8) && step.end == .limitReached)
  }
}
