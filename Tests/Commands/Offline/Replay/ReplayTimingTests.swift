@testable import TapelineOffline
import TapelineTime
import Testing

@Suite("Times of a replay")
struct ReplayTimingTests {
  @Test("none, recorded, or a factor", arguments: [("none", 0), ("recorded", 1), ("0.5x", 0.5), ("2x", 2)] as [(String, Double)])
  func reading(text: String, factor: Double) {
    #expect(ReplayTiming(text)?.factor == factor)
    #expect(ReplayTiming(text).flatMap { ReplayTiming($0.description) }?.factor == factor)
  }

  @Test("Anything else is refused", arguments: ["", "x", "-1x", "nanx", "infx", "1", "fast"])
  func refusal(text: String) {
    #expect(ReplayTiming(text) == nil)
  }

  @Test("A recorded time is scaled, and never below nothing or beyond all patience")
  func scaling() {
    #expect(ReplayTiming(factor: 0.5).duration(ofMilliseconds: 3) == .microseconds(1_500))
    #expect(ReplayTiming.none.duration(ofMilliseconds: 3) == .zero)
    #expect(ReplayTiming.recorded.duration(ofMilliseconds: -1) == .zero)
    #expect(ReplayTiming.recorded.duration(ofMilliseconds: .infinity) == .seconds(1_000_000))
  }

  @Test("Requests are due as long after the first as they were recorded after it")
  func pace() {
    let began = MonotonicInstant(nanoseconds: 1_000)
    var pace = ReplayPace(timing: .recorded, began: began)
    #expect(pace.delay(before: 5_000_000, at: began) == .zero)
    #expect(pace.delay(before: 8_000_000, at: began) == .milliseconds(3))
    #expect(pace.delay(before: 8_000_000, at: began.advanced(byNanoseconds: 1_000_000)) == .milliseconds(2))
    #expect(pace.delay(before: 8_000_000, at: began.advanced(byNanoseconds: 9_000_000)) == .zero)
    #expect(pace.delay(before: nil, at: began) == .zero)
    var atOnce = ReplayPace(timing: .none, began: began)
    #expect(atOnce.delay(before: 8_000_000, at: began) == .zero)
  }

  @Test("Summaries count what was sent, answered and left out")
  func texts() {
    var sent = CaptureSending.Counts()
    sent.sent = 3
    #expect(sent.text(of: "a.har") == "3 requests of a.har sent again")
    (sent.unsendable, sent.leftOut, sent.incomplete, sent.redacted) = (2, 1, 1, 2)
    #expect(
      sent.text(of: "a.har")
        == "1 request of a.har sent again, 1 left out, which were tunnels, 1 with incomplete bodies, "
        + "2 with redacted values in place of secrets")
    var answered = ReplaySource.Counts(answered: 1, missing: 0, incomplete: 0)
    #expect(answered.text(of: "a.har") == "1 request answered from a.har, 0 not in it")
    #expect(throws: Never.self) { try answered.requireNoMisses(of: "a.har") }
    (answered.incomplete, answered.missing) = (1, 2)
    #expect(answered.text(of: "a.har") == "1 request answered from a.har, 1 of them with incomplete bodies, 2 not in it")
    let failure = #expect(throws: CommandFailure.self) { try answered.requireNoMisses(of: "a.har") }
    #expect(failure?.why == "2 requests were not in the capture")
  }
}
