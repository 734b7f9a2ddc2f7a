import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("gRPC calls")
struct CallTextTests {
  private static let entry: HAREntry = {
    var entry = HAREntry.ordinary()
    entry.startedDateTime = "2026-01-02T03:04:05.000Z"
    entry.custom["_grpc"] = [
      "status": 5, "statusName": "NOT_FOUND", "message": "no\u{1B}such lamp", "requestMessages": 1, "responseMessages": 1_000,
      "messages": [
        ["type": "send", "time": .number(HARNumber(1_767_323_045.25)), "size": 5, "compressed": false],
        ["type": "receive", "time": .number(HARNumber(1_767_323_047.0)), "size": 5_000, "compressed": true],
        ["type": "receive", "size": 20, "compressed": false, "trailers": true],
      ],
    ]
    return entry
  }()

  private func lines(_ entry: HAREntry, limit: Int = 9, isUnicode: Bool = true) -> [String] {
    CallText.lines(of: entry, palette: Palette(isColored: false, isUnicode: isUnicode), limit: limit)
  }

  @Test("A line per message: when it was complete, its direction and its size; the missing ones are counted")
  func messages() {
    #expect(
      lines(Self.entry) == [
        "  250ms → 5 B", "  2.00s ← 4.9 KiB (compressed)", "      - ← 20 B trailers", "(… 999 more messages)",
      ])
    #expect(lines(Self.entry, limit: 1, isUnicode: false) == ["  250ms > 5 B", "(… 1000 more messages)"])
    #expect(lines(.ordinary()) == [])
  }

  @Test("The facts: the status with its name and message, and the counts")
  func facts() throws {
    let call = try #require(RecordedCall(Self.entry))
    #expect(call.text == "5 NOT_FOUND: no\u{1B}such lamp; 1 message sent, 1000 received")
    #expect(call.outcome == "NOT_FOUND")
    #expect(call.messageCount == 1_001)
    var entry = HAREntry.ordinary()
    entry.custom["_grpc"] = ["status": 99, "requestMessages": 2, "note": "the client's last message is incomplete"]
    #expect(
      RecordedCall(entry)?.text == "99; 2 messages sent, 0 received; the client's last message is incomplete")
    #expect(RecordedCall(entry)?.outcome == "99")
    entry.custom["_grpc"] = [:]
    #expect(RecordedCall(entry)?.outcome == "no status")
    entry.custom["_grpc"] = ["requestMessages": .number(HARNumber(Int.max)), "responseMessages": 5, "messages": [7, "x"]]
    #expect(RecordedCall(entry)?.messageCount == .max)
    entry.custom["_grpc"] = "x"
    #expect(RecordedCall(entry) == nil)
  }
}
