import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Recorded end")
struct RecordedEndTests {
  @Test(
    "By the client, and while what went on",
    arguments: [
      ("wait", "ended by the client while waiting"), ("receive", "ended by the client while receiving"),
      ("tls", "ended by the client while TLS was set up"), ("other", "ended by the client in phase other"),
    ])
  func phases(phase: String, text: String) {
    #expect(RecordedEnd(.ended(in: phase))?.text == text)
    #expect(RecordedEnd(.ended(in: phase))?.phase == phase)
  }

  @Test("What came to its own end, what failed, and nonsense were not ended by the client")
  func others() {
    #expect(RecordedEnd(.ordinary()) == nil)
    #expect(RecordedEnd(.refused()) == nil)
    var entry = HAREntry.ordinary()
    entry.custom["_ended"] = "early"
    #expect(RecordedEnd(entry) == nil)
    #expect(RecordedEnd(.inFlight()) == nil)
  }

  @Test("What is in flight has come to no end, and has not failed")
  func outstanding() {
    #expect(RecordedEnd.isOutstanding(for: .inFlight()))
    #expect(!RecordedEnd.isOutstanding(for: .ordinary()))
    #expect(RecordedFailure(.inFlight()) == nil)
    var failed = HAREntry.inFlight()
    failed.custom["_error"] = ["message": "reset"]
    #expect(RecordedFailure(failed)?.message == "reset", "the client has not been told yet")
    let facts = ExchangeFacts(entry: .inFlight(), palette: Palette(isColored: false), clock: .utc).all
    #expect(facts.contains { $0.name == "end" && $0.text.hasPrefix("none yet: in flight") })
    #expect(!facts.contains { $0.name == "failure" })
    #expect(DebugDescription.lines(of: .inFlight())[3] == "[Result]: IN FLIGHT: 0 bytes")
  }
}
