import Testing

@testable import TapelineHTTP

@Suite("A client reads what a server sends")
struct WebSocketReaderTests {
  /// The events of `bytes`, in pieces of the given sizes and a last one.
  private func read(
    _ bytes: [UInt8], splitAt cuts: [Int] = [], limit: Int = 1_000, compression: Bool = false
  ) throws(WebSocketError) -> [WebSocketReader.Event] {
    var reader = WebSocketReader(limit: limit, allowsCompression: compression)
    var events: [WebSocketReader.Event] = []
    for (start, end) in zip([0] + cuts, cuts + [bytes.count]) {
      var offset = 0
      let piece = Array(bytes[start..<end])
      while let event = try reader.next(piece.span, from: &offset) { events.append(event) }
    }
    return events
  }

  private static let dialogue: [UInt8] =
    WebSocketFrames.frame(1, "one") + WebSocketFrames.frame(2, [UInt8](repeating: 7, count: 200))
    + WebSocketFrames.frame(1, "fr", isFinal: false) + WebSocketFrames.frame(9, "p")
    + WebSocketFrames.frame(0, "ag", isFinal: false)
    + WebSocketFrames.frame(0, "ment ż") + WebSocketFrames.frame(1, "") + WebSocketFrames.frame(10, "q")
    + WebSocketFrames.frame(8, [0x03, 0xE8] + Array("bye".utf8))

  private static let events: [WebSocketReader.Event] = [
    .message(isText: true, isCompressed: false, payload: Array("one".utf8)),
    .message(isText: false, isCompressed: false, payload: [UInt8](repeating: 7, count: 200)), .ping(Array("p".utf8)),
    .message(isText: true, isCompressed: false, payload: Array("fragment ż".utf8)),
    .message(isText: true, isCompressed: false, payload: []), .pong(Array("q".utf8)), .close(code: 1_000, reason: "bye"),
  ]

  @Test("Messages, fragments and control frames, however the bytes are split")
  func splits() throws {
    #expect(try read(Self.dialogue) == Self.events)
    for cut in 1..<Self.dialogue.count { #expect(try read(Self.dialogue, splitAt: [cut]) == Self.events) }
    #expect(try read(Self.dialogue, splitAt: Array(1..<Self.dialogue.count)) == Self.events)
  }

  @Test("A message whose first frame is compressed is handed on as it came")
  func compressed() throws {
    let bytes =
      WebSocketFrames.frame(1, [0xFF], isFinal: false, reserved: 4) + WebSocketFrames.frame(0, [0xFE])
    #expect(
      try read(bytes, compression: true) == [.message(isText: true, isCompressed: true, payload: [0xFF, 0xFE])])
  }

  @Test("A close may have no code")
  func bareClose() throws {
    #expect(try read(WebSocketFrames.frame(8, "")) == [.close(code: nil, reason: "")])
  }

  @Test(
    "What breaks a rule is refused, with the code that says so",
    arguments: [
      (WebSocketFrames.frame(1, "a", mask: [1, 2, 3, 4]), WebSocketError.masked, UInt16(1_002)),
      (WebSocketFrames.frame(1, "a", reserved: 4), .unknownExtension, 1_002),
      (WebSocketFrames.frame(0, "a"), .invalidFragmentation, 1_002),
      (WebSocketFrames.frame(1, "a", isFinal: false) + WebSocketFrames.frame(1, "b"), .invalidFragmentation, 1_002),
      (WebSocketFrames.frame(1, [0xC3]), .invalidText, 1_007),
      (WebSocketFrames.frame(1, [0xC3], isFinal: false) + WebSocketFrames.frame(0, [0x28]), .invalidText, 1_007),
      (WebSocketFrames.frame(8, [0x03]), .invalidClose, 1_002),
      (WebSocketFrames.frame(8, [0x03, 0xEE]), .invalidClose, 1_002),
      (WebSocketFrames.frame(8, [0x03, 0xE8, 0xFF]), .invalidText, 1_007),
      (WebSocketFrames.frame(2, [UInt8](repeating: 0, count: 1_001)), .tooLong, 1_009),
      (
        WebSocketFrames.frame(2, [UInt8](repeating: 0, count: 600), isFinal: false)
          + WebSocketFrames.frame(0, [UInt8](repeating: 0, count: 401)), .tooLong, 1_009
      ),
    ])
  func violations(bytes: [UInt8], error: WebSocketError, code: UInt16) {
    #expect(throws: error) { try read(bytes) }
    #expect(error.closeCode == code)
  }

  @Test("The length alone is enough to refuse a message")
  func announced() {
    // 2^62 bytes are to come.
    #expect(throws: WebSocketError.tooLong) { try read([0x82, 127, 0x40, 0, 0, 0, 0, 0, 0, 0]) }
  }

  @Test("A client's frame is masked, and reads as what was sent", arguments: [0, 5, 125, 126, 65_535, 65_536])
  func masked(size: Int) throws {
    let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    var bytes: [UInt8] = []
    WebSocketFrame.append(
      .binary, payload.span, to: &bytes, isFinal: false, isCompressed: true, mask: WebSocketFrame.Mask(key: 0x0102_0304))
    #expect(bytes == WebSocketFrames.frame(2, payload, isFinal: false, reserved: 4, mask: [1, 2, 3, 4]))
  }
}
