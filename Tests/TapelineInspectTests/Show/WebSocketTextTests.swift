import TapelineHAR
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
        "  250ms → text   hi\u{FFFD}", "  2.00s ← binary AAEC", "      - ← close  ",
      ])
  }

  @Test("Many are cut off; an ordinary exchange has none")
  func limits() {
    let lines = WebSocketText.lines(of: Self.entry, width: 80, palette: Palette(isColored: false, isUnicode: false), limit: 1)
    #expect(lines == ["  250ms > text   hi\u{FFFD}", "(… 2 more messages; --json prints all)"])
    #expect(WebSocketText.lines(of: .ordinary(), width: 80, palette: Palette(isColored: false), limit: 9) == [])
  }
}
