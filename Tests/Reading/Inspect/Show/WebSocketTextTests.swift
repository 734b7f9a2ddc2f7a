import TapelineHAR
import TapelineBase
import Testing

@testable import TapelineInspect

@Suite("WebSocket text")
struct WebSocketTextTests {
  private static let entry: HAREntry = {
    var entry = HAREntry.ordinary()
    entry.startedDateTime = "2026-01-02T03:04:05.000Z"
    entry.custom["_webSocketMessages"] = [
      ["type": "send", "time": .number(HARNumber(1_767_323_045.25)), "opcode": 1, "data": "hi\u{1B}"],
      ["type": "receive", "time": .number(HARNumber(1_767_323_047.0)), "opcode": 2, "data": "AAEC"],
      ["type": "receive", "opcode": 8, "data": ""],
    ]
    return entry
  }()

  @Test("A line per message, with the time since the exchange began")
  func messages() {
    #expect(
      WebSocketText.lines(of: Self.entry, width: 80, palette: Palette(isColored: false), limit: 9) == [
        "  250ms → text   hi\u{FFFD}", "  2.00s ← binary 3 B  00 01 02", "      - ← close  no code",
      ])
  }

  @Test("Bytes are shown as such, with the text in them; a close says why; what has not been inflated says so")
  func bytes() {
    var entry = HAREntry.ordinary()
    entry.custom["_webSocketMessages"] = [
      ["type": "send", "opcode": 2, "data": .string(Base64.encode(Array("hello".utf8)))],
      ["type": "send", "opcode": 9, "data": ""],
      ["type": "receive", "opcode": 10, "data": "cGluZw=="],
      ["type": "receive", "opcode": 8, "data": .string(Base64.encode([0x03, 0xF3] + Array("too\nbig".utf8)))],
      ["type": "receive", "opcode": 8, "data": "AA=="],
      ["type": "receive", "opcode": 1, "data": "AAEC", "_encoding": "base64", "_compressed": true],
      ["type": "receive", "opcode": 2, "data": "AAEC", "_size": 5000, "_truncated": true],
      ["type": "receive", "opcode": 2, "data": "no base64!"],
    ]
    #expect(
      WebSocketText.lines(of: entry, width: 80, palette: Palette(isColored: false), limit: 9).map { $0.dropFirst(10) } == [
        "binary 5 B  68 65 6c 6c 6f  \"hello\"", "ping   ", "pong   4 B  70 69 6e 67  \"ping\"",
        "close  1011 Internal Error: too\u{FFFD}big", "close  1 B  00", "text   3 B  00 01 02 (compressed)",
        "binary 4.9 KiB  00 01 02", "binary no base64!",
      ])
  }

  @Test("Many are cut off; an ordinary exchange has none")
  func limits() {
    let lines = WebSocketText.lines(of: Self.entry, width: 80, palette: Palette(isColored: false, isUnicode: false), limit: 1)
    #expect(lines == ["  250ms > text   hi\u{FFFD}", "(… 2 more messages; --json prints all)"])
    #expect(WebSocketText.lines(of: .ordinary(), width: 80, palette: Palette(isColored: false), limit: 9) == [])
  }
}
