import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Recorded failure")
struct RecordedFailureTests {
  @Test("Ours says whose fault it was, and in which phase")
  func ours() {
    #expect(RecordedFailure(.refused())?.text == "upstream refused in connect: Connection refused")
  }

  @Test("A browser's is a text in the response")
  func browser() {
    var entry = HAREntry.refused()
    entry.custom = [:]
    entry.response.custom["_error"] = "net::ERR_CONNECTION_REFUSED"
    #expect(RecordedFailure(entry)?.text == "net::ERR_CONNECTION_REFUSED")
  }

  @Test("Status 0 alone is a failure; so is an error beside a status; anything else is none")
  func presence() {
    var silent = HAREntry.refused()
    silent.custom = [:]
    #expect(RecordedFailure(silent)?.text == "no response")
    var cut = HAREntry.ordinary()
    cut.custom["_error"] = ["message": "the connection was reset"]
    #expect(RecordedFailure(cut)?.text == "the connection was reset")
    #expect(RecordedFailure(.ordinary()) == nil)
    var chrome = HAREntry.ordinary()
    chrome.response.custom["_error"] = .null
    #expect(RecordedFailure(chrome) == nil)
  }

  @Test("What the client ended is none, with a status or without one")
  func ended() {
    #expect(RecordedFailure(.ended()) == nil)
    var streamed = HAREntry.ordinary()
    streamed.custom["_ended"] = ["by": "client", "phase": "receive"]
    #expect(RecordedFailure(streamed) == nil)
    var both = HAREntry.ended()
    both.custom["_error"] = ["message": "reset"]
    #expect(RecordedFailure(both)?.text == "reset")
  }

  @Test("The option whose limit it was is named once, though the sentence has it too")
  func option() {
    var entry = HAREntry.ordinary()
    entry.custom["_error"] = [
      "origin": "local", "phase": "receive", "kind": "timed-out", "message": "nothing came for 1 s (--idle-timeout)",
      "option": "--idle-timeout",
    ]
    #expect(RecordedFailure(entry)?.text == "local timed-out in receive (--idle-timeout): nothing came for 1 s")
    #expect(RecordedFailure(entry)?.facts == "local timed-out in receive (--idle-timeout)")
    #expect(RecordedFailure(.ordinary())?.facts == nil)
  }

  @Test("An error of a strange type is still one")
  func strange() {
    var entry = HAREntry.ordinary()
    entry.custom["_error"] = 7
    #expect(RecordedFailure(entry)?.text == "failed")
  }
}
