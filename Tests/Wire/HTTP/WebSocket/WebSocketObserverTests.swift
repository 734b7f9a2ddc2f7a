import Testing

@testable import TapelineHTTP

@Suite struct WebSocketObserverTests {
  private func observe(
    _ bytes: [UInt8], inPiecesOf size: Int = .max, limits: WebSocketObserver.Limits = .init()
  ) -> (messages: [WebSocketObserver.Message], count: UInt64, failure: WebSocketError?) {
    var observer = WebSocketObserver(limits: limits)
    var messages: [WebSocketObserver.Message] = []
    var start = 0
    while start < bytes.count {
      let end = size == .max ? bytes.count : min(bytes.count, start + size)
      let piece = Array(bytes[start..<end])
      observer.receive(piece.span) { messages.append($0) }
      start = end
    }
    return (messages, observer.messageCount, observer.failure)
  }

  private func text(_ message: WebSocketObserver.Message) -> String {
    String(decoding: message.bytes, as: UTF8.self)
  }

  @Test func aMessageInPiecesIsPutTogetherAndUnmaskedWhereverItIsSplit() {
    let bytes =
      WebSocketFrames.frame(1, "one, ", isFinal: false, mask: [1, 2, 3, 4])
      + WebSocketFrames.frame(9, "are you there", mask: [7, 7, 7, 7])
      + WebSocketFrames.frame(0, "two, ", isFinal: false, mask: [5, 6, 7, 8])
      + WebSocketFrames.frame(0, "three", mask: [9, 9, 9, 9]) + WebSocketFrames.frame(8, [0x03, 0xE8], mask: [1, 1, 1, 1])
    for size in 1...bytes.count {
      let seen = observe(bytes, inPiecesOf: size)
      #expect(seen.messages.map(\.opcode) == [.ping, .text, .close])
      #expect(seen.messages.prefix(2).map(text) == ["are you there", "one, two, three"])
      #expect(seen.messages.last?.bytes == [0x03, 0xE8])
      #expect(seen.count == 3)
      #expect(seen.failure == nil)
    }
  }

  @Test func compressionIsSaidByTheFirstFrame() {
    let seen = observe(
      WebSocketFrames.frame(1, "ab", isFinal: false, reserved: 4) + WebSocketFrames.frame(0, "cd")
        + WebSocketFrames.frame(2, "clear"))
    #expect(seen.messages.map(\.isCompressed) == [true, false])
    #expect(seen.messages.map(\.size) == [4, 5])
  }

  @Test func anEmptyMessageIsAMessage() {
    let seen = observe(WebSocketFrames.frame(1, "") + WebSocketFrames.frame(1, "", isFinal: false) + WebSocketFrames.frame(0, ""))
    #expect(seen.messages.map(\.size) == [0, 0])
  }

  @Test func whatIsKeptIsBoundedAndCountingGoesOn() {
    var limits = WebSocketObserver.Limits()
    limits.messages = 2
    limits.bytes = 7
    limits.bytesPerText = 4
    let seen = observe(
      (0..<5).flatMap { WebSocketFrames.frame(1, "\($0)12345") } + WebSocketFrames.frame(8, [0x03, 0xE9, 0x21]), limits: limits)
    #expect(seen.messages.map(text).prefix(2) == ["0123", "112"])
    #expect(seen.messages.map(\.isKept) == [true, true, false, false, false, true])
    #expect(seen.messages.map(\.size) == [6, 6, 6, 6, 6, 3])
    #expect(seen.messages.last?.bytes == [0x03, 0xE9, 0x21], "a close is kept always, whole")
    #expect(seen.count == 6)
  }

  @Test func binaryMessagesHaveABoundOfTheirOwn() {
    var limits = WebSocketObserver.Limits()
    limits.bytesPerBinary = 0
    let seen = observe(WebSocketFrames.frame(2, "binary") + WebSocketFrames.frame(1, "text"), limits: limits)
    #expect(seen.messages.map(text) == ["", "text"])
    #expect(seen.messages.map(\.size) == [6, 4])
  }

  @Test(arguments: [
    (WebSocketFrames.frame(0, "of nothing"), WebSocketError.invalidFragmentation),
    (WebSocketFrames.frame(1, "a", isFinal: false) + WebSocketFrames.frame(1, "b"), .invalidFragmentation),
    (WebSocketFrames.frame(1, "a", isFinal: false) + WebSocketFrames.frame(0, "b", reserved: 4), .invalidFragmentation),
    (Array("GET / HTTP/1.1\r\n".utf8), .reservedOpcode(7)),
  ])
  func whatBreaksTheRulesStopsTheObserver(bytes: [UInt8], failure: WebSocketError) {
    let seen = observe(WebSocketFrames.frame(1, "before") + bytes + WebSocketFrames.frame(1, "after"))
    #expect(seen.messages.map(text) == ["before"])
    #expect(seen.failure == failure)
  }
}
