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

  @Test("An error of a strange type is still one")
  func strange() {
    var entry = HAREntry.ordinary()
    entry.custom["_error"] = 7
    #expect(RecordedFailure(entry)?.text == "failed")
  }
}
