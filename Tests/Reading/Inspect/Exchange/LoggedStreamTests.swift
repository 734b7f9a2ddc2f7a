import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Recorded streams")
struct LoggedStreamTests {
  private func stream(_ http2: HARValue) -> LoggedStream? {
    var entry = HAREntry.ordinary()
    entry.custom["_http2"] = http2
    return LoggedStream(entry)
  }

  @Test("Both legs and the priority")
  func text() {
    #expect(stream(["streamId": 3])?.text == "3 to the server")
    #expect(
      stream(["streamId": 3, "clientStreamId": 5, "urgency": 1, "incremental": true])?.text
        == "3 to the server, 5 from the client, urgency 1, incremental")
    #expect(stream([:])?.text == nil)
    #expect(stream("x") == nil)
    #expect(LoggedStream(.ordinary()) == nil)
  }

  @Test("Stalls are told only if there were any")
  func stalls() {
    #expect(stream(["windowStalls": 0, "sendStalled": 0, "receiveStalled": 0])?.stallText == nil)
    #expect(
      stream(["windowStalls": 1, "sendStalled": .number(HARNumber(1.5)), "receiveStalled": 0])?.stallText
        == "sending once, 1.50ms, for the server's window")
    #expect(
      stream(["windowStalls": 2, "sendStalled": 3, "receiveStalled": 40])?.stallText
        == "sending 2 times, 3.00ms, for the server's window; receiving 40.0ms, for the reader")
  }

  @Test(
    "A reset names who sent it",
    arguments: [
      ("client", "CANCEL by the client"), ("origin", "CANCEL by the server"), ("local", "CANCEL by tapeline"),
      ("x", "CANCEL by x"),
    ])
  func reset(who: String, text: String) {
    #expect(stream(["reset": ["code": "CANCEL", "who": .string(who)]])?.resetText == text)
    #expect(stream(["reset": ["code": "CANCEL"]])?.resetText == "CANCEL")
    #expect(stream(["reset": "CANCEL"])?.resetText == nil)
    #expect(stream(["goaway": "NO_ERROR"])?.goAway == "NO_ERROR")
  }
}
