import TapelineCoding
import Testing

@Suite("Messages are compressed as permessage-deflate wants them")
struct MessageDeflaterTests {
  private static let messages: [[UInt8]] = [
    Array("hello hello hello hello".utf8), [], Array("hello hello hello hello".utf8), [], [],
    [UInt8](repeating: 1, count: 300_000),
    (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }, Array("end".utf8),
  ]

  @Test("Each is read again, whatever was before it", arguments: [9, 12, 15], [true, false])
  func roundTrip(windowBits: Int, forgets: Bool) throws {
    let deflater = try #require(MessageDeflater(windowBits: windowBits, forgets: forgets))
    let inflater = Inflater()
    for message in Self.messages {
      if forgets { inflater.resetWindow() }
      let step = inflater.inflateMessage(deflater.deflate(message.span).span, limit: 1 << 20)
      #expect(step.end == .complete)
      #expect(step.bytes == message)
    }
  }

  @Test("A window that is kept makes what was said before shorter")
  func takeover() throws {
    let text = Array("a text that nobody has said before".utf8)
    let keeping = try #require(MessageDeflater(windowBits: 15, forgets: false))
    let first = keeping.deflate(text.span)
    #expect(keeping.deflate(text.span).count < first.count)
    let forgetting = try #require(MessageDeflater(windowBits: 15, forgets: true))
    #expect(forgetting.deflate(text.span) == forgetting.deflate(text.span))
  }

  @Test("There is no window of 256 bytes")
  func smallestWindow() {
    #expect(MessageDeflater(windowBits: 8, forgets: false) == nil)
  }
}
