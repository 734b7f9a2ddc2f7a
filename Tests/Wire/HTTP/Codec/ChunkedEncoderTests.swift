import Testing

@testable import TapelineHTTP

@Suite struct ChunkedEncoderTests {
  private func text(_ append: (inout [UInt8]) -> Void) -> String {
    var output: [UInt8] = []
    append(&output)
    return String(decoding: output, as: UTF8.self)
  }

  @Test(arguments: [
    (1, "1"), (9, "9"), (10, "a"), (15, "f"), (16, "10"), (255, "ff"), (256, "100"), (65_536, "10000"),
    (Int.max, "7fffffffffffffff"),
  ])
  func sizesAreHexadecimal(size: Int, expected: String) {
    #expect(text { ChunkedEncoder.appendChunkHeader(size: size, into: &$0) } == expected + "\r\n")
  }

  @Test func theLastChunkEndsTheContent() {
    #expect(text { ChunkedEncoder.appendLastChunk(into: &$0) } == "0\r\n\r\n")
    #expect(text { ChunkedEncoder.appendLastChunk(trailers: ["X": "1", "x": "2"], into: &$0) } == "0\r\nX: 1\r\nx: 2\r\n\r\n")
  }

  @Test func framingRoutingAndHopByHopFieldsAreNoTrailers() {
    let trailers: HeaderFields = [
      "Content-Length": "1", "Transfer-Encoding": "chunked", "Host": "a", "Connection": "X-Own", "X-Own": "1", "Keep-Alive": "1",
      "X-Named": "1", "X-Kept": "1",
    ]
    let head = HopByHopFields(of: ["Connection": "x-named"])
    #expect(text { ChunkedEncoder.appendLastChunk(trailers: trailers, without: head, into: &$0) } == "0\r\nX-Kept: 1\r\n\r\n")
  }

  @Test func whatIsEncodedIsDecoded() {
    var coded = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
    let content = [UInt8](repeating: 0x0D, count: 300)
    for size in [1, 17, 282] {
      ChunkedEncoder.appendChunkHeader(size: size, into: &coded)
      coded += content.prefix(size)
      ChunkedEncoder.appendChunkEnd(into: &coded)
    }
    ChunkedEncoder.appendLastChunk(trailers: ["Sum": "300"], into: &coded)
    let conversation = Conversation.reading([coded], as: .client)
    #expect(conversation.body == content)
    #expect(conversation.entries.suffix(3) == [.trailers(["Sum": "300"]), .end, .closed])
  }

  @Test func anEmptyChunkIsRefused() async {
    await #expect(processExitsWith: .failure) {
      var output: [UInt8] = []
      ChunkedEncoder.appendChunkHeader(size: 0, into: &output)
    }
  }
}
