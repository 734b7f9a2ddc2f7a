import Testing

@testable import TapelineHTTP

@Suite struct WebSocketFrameParserTests {
  /// The heads in `bytes`, fed in pieces of `size`, each with its payload as it came.
  private func frames(
    _ bytes: [UInt8], inPiecesOf size: Int = .max
  ) throws(WebSocketError) -> [(head: WebSocketFrame, payload: [UInt8])] {
    var parser = WebSocketFrameParser()
    var frames: [(head: WebSocketFrame, payload: [UInt8])] = []
    var start = 0
    while start < bytes.count {
      let piece = Array(bytes[start..<min(bytes.count, size == .max ? bytes.count : start + size)])
      start += piece.count
      var offset = 0
      while let element = try parser.next(piece.span, from: &offset) {
        switch element {
        case .head(let head): frames.append((head, []))
        case .payload(let range): frames[frames.count - 1].payload += piece[range]
        case .end: break
        }
      }
    }
    return frames
  }

  /// RFC 6455 5.7.
  @Test func theExamplesOfTheStandardAreRead() throws {
    let hello = try frames([0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
    #expect(hello.first?.head == WebSocketFrame(opcode: .text, isFinal: true, isCompressed: false, payloadLength: 5, mask: nil))
    #expect(hello.first?.payload == Array("Hello".utf8))
    let masked = try #require(try frames([0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]).first)
    let mask = try #require(masked.head.mask)
    #expect(masked.payload.enumerated().map { $1 ^ mask[UInt64($0)] } == Array("Hello".utf8))
  }

  @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_000])
  func everyLengthIsRead(length: Int) throws {
    let payload = [UInt8](repeating: 7, count: length)
    for mask: [UInt8]? in [nil, [1, 2, 3, 4]] {
      let frame = try #require(try frames(WebSocketFrames.frame(2, payload, mask: mask)).first)
      #expect(frame.head.payloadLength == UInt64(length))
      #expect(frame.payload.count == length)
      #expect((frame.head.mask == nil) == (mask == nil))
    }
  }

  @Test func anySplitIsTheSame() throws {
    let bytes =
      WebSocketFrames.frame(1, "abc", isFinal: false) + WebSocketFrames.frame(9, "")
      + WebSocketFrames.frame(0, "def", mask: [9, 8, 7, 6])
      + WebSocketFrames.frame(2, [UInt8](repeating: 1, count: 300), reserved: 4)
    let whole = try frames(bytes)
    #expect(whole.map(\.head.opcode) == [.text, .ping, .continuation, .binary])
    #expect(whole.map(\.head.isFinal) == [false, true, true, true])
    #expect(whole.map(\.head.isCompressed) == [false, false, false, true])
    for size in 1...bytes.count {
      let pieces = try frames(bytes, inPiecesOf: size)
      #expect(pieces.map(\.head) == whole.map(\.head))
      #expect(pieces.map(\.payload) == whole.map(\.payload))
    }
  }

  @Test(arguments: [
    ([UInt8]([0x83, 0x00]), WebSocketError.reservedOpcode(3)), ([0x8B, 0x00], .reservedOpcode(11)),
    ([0xA1, 0x00], .unknownExtension), ([0x91, 0x00], .unknownExtension), ([0xC9, 0x00], .unknownExtension),
    ([0x09, 0x00], .invalidControlFrame), ([0x88, 0x7E, 0x00, 0x7E], .invalidControlFrame),
    ([0x82, 0x7F, 0x80, 0, 0, 0, 0, 0, 0, 0], .invalidLength),
  ])
  func whatIsNoFrameIsRefused(bytes: [UInt8], error: WebSocketError) {
    #expect(throws: error) { try frames(bytes) }
  }
}
