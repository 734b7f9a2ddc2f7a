import Testing

@testable import TapelineHTTP

@Suite struct ReceiveBufferTests {
  private let head = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)

  @Test func aWholeHeadIsCopiedExactlyAndNothingBehindIt() throws {
    var buffer = ReceiveBuffer(.request)
    var offset = 3
    let section = try #require(try buffer.receive(([1, 2, 3] + head + [4, 5]).span, from: &offset, .standard))
    #expect(section.bytes == head)
    #expect(section.lineCount == 3)
    #expect(offset == head.count + 3)
  }

  @Test func piecesAreGathered() throws {
    for split in head.indices {
      var buffer = ReceiveBuffer(.request)
      var offset = 0
      #expect(try buffer.receive(Array(head[..<split]).span, from: &offset, .standard) == nil)
      #expect(offset == split)
      offset = 0
      let rest = Array(head[split...]) + [9]
      let section = try #require(
        try buffer.receive(rest.span, from: &offset, .standard))
      #expect(section.bytes == head)
      #expect(offset == head.count - split)
    }
  }

  @Test func itsBeginningIsKnownHoweverItCame() throws {
    for split in 0..<6 {
      var buffer = ReceiveBuffer(.request)
      var offset = 0
      _ = try buffer.receive(Array(head[..<split]).span, from: &offset, .standard)
      let rest = Array(head[split...])
      let (isGet, isGets) = (buffer.begins(with: "GET ", more: rest.span), buffer.begins(with: "GETS", more: rest.span))
      #expect(isGet && !isGets)
      let hasCome = buffer.begins(with: "GET /", more: [UInt8]().span)
      #expect(hasCome == (split == 5))
    }
  }
}
