import Testing

@testable import TapelineHTTP

@Suite struct ChunkedDecoderTests {
  private func content(_ coded: String, limits: HTTPLimits = .standard) -> Conversation {
    read("POST http://a/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(coded)", as: .server, limits: limits)
  }

  @Test func chunksAreJoined() {
    let conversation = content("3\r\nabc\r\n00A;x=\"y\"\r\n0123456789\r\n0\r\n\r\n")
    #expect(conversation.body == Array("abc0123456789".utf8))
    #expect(conversation.entries.suffix(2) == [.end, .closed])
  }

  @Test func lineEndsInsideContentAreContent() {
    #expect(content("6\r\n\r\n0\r\n\r\r\n0\r\n\r\n").body == Array("\r\n0\r\n\r".utf8))
  }

  @Test func trailersComeBeforeTheEnd() {
    let conversation = content("1\r\na\r\n0\r\nX-Sum: 1\r\nx-sum: 2\r\n\r\n")
    #expect(conversation.entries.suffix(3) == [.trailers(["X-Sum": "1", "x-sum": "2"]), .end, .closed])
  }

  @Test func noContentIsNoBody() {
    #expect(content("0\r\n\r\n").entries.suffix(2) == [.end, .closed])
    #expect(content("000\r\n\r\n").body == [])
  }

  @Test(arguments: [
    ("\r\n", HTTPParseError.Kind.invalidChunkSize), ("g\r\n", .invalidChunkSize), ("0x3\r\nabc\r\n", .invalidChunkSize),
    ("-1\r\n", .invalidChunkSize), ("+3\r\nabc\r\n", .invalidChunkSize), (" 3\r\nabc\r\n", .invalidChunkSize),
    ("3 \r\nabc\r\n", .invalidChunkSize),
    ("3_0\r\n", .invalidChunkSize), (";a\r\n", .invalidChunkSize), ("3\nabc\r\n", .bareLineFeed),
    ("3\rabc\r\n", .bareCarriageReturn),
    ("3;a\nabc\r\n", .bareLineFeed), ("3;a\rb\r\nabc\r\n", .bareCarriageReturn), ("3;\u{0}\r\nabc\r\n", .invalidChunkExtension),
    ("3\r\nabcd\r\n", .invalidChunkEnd), ("3\r\nabc\n", .invalidChunkEnd), ("3\r\nabc\rX", .invalidChunkEnd),
    ("fffffffffffffff0\r\n", .chunkSizeOverflow), ("10000000000000000\r\n", .chunkSizeOverflow),
    ("0000000000000001\r\n", .chunkSizeOverflow),
    ("0\r\n\n", .bareLineFeed), ("0\r\n\rX", .bareCarriageReturn), ("0\r\nA: 1\n\r\n", .bareLineFeed),
    ("0\r\n A: 1\r\n\r\n", .blankBeforeFirstField),
    ("0\r\nA : 1\r\n\r\n", .blankBeforeColon), ("0\r\nA: 1\r\n 2\r\n\r\n", .lineFolding), ("0\r\nA\r\n\r\n", .invalidFieldName),
    ("0\n\r\n", .bareLineFeed), ("3\r\nab", .truncatedBody), ("3\r\nabc", .truncatedBody), ("3\r\nabc\r\n", .truncatedBody),
    ("0\r\n", .truncatedBody),
    ("0\r\nA: 1\r\n", .truncatedBody), ("", .truncatedBody),
  ])
  func theCodingIsStrict(coded: String, kind: HTTPParseError.Kind) {
    #expect(content(coded).error == kind)
  }

  @Test func extensionsAreBounded() {
    let limits = HTTPLimits(chunkExtension: 4)
    #expect(content("1;abc\r\na\r\n0\r\n\r\n", limits: limits).body == [0x61])
    #expect(content("1;abcd\r\na\r\n0\r\n\r\n", limits: limits).error == .chunkExtensionTooLong)
  }

  @Test func trailersAreBounded() {
    var limits = HTTPLimits(trailers: 16)
    #expect(content("0\r\nA: 456789012\r\n\r\n", limits: limits).entries.contains(.trailers(["A": "456789012"])))
    #expect(content("0\r\nA: 4567890123\r\n\r\n", limits: limits).error == .trailersTooLarge)
    limits = HTTPLimits(fields: 2, trailers: 1000)
    #expect(content("0\r\nA: 1\r\nB: 2\r\n\r\n", limits: limits).error == nil)
    #expect(content("0\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n", limits: limits).error == .tooManyFields)
  }

  @Test func everyExtensionByteIsTextOrRefused() {
    for byte in UInt8.min...UInt8.max {
      let bytes =
        Array("POST http://a/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;".utf8) + [byte]
        + Array("\r\na\r\n0\r\n\r\n".utf8)
      let conversation = Conversation.reading([bytes], as: .server)
      let isText = byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
      #expect((conversation.error == nil) == isText, "byte \(byte)")
    }
  }
}
