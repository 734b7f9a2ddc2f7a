import TapelineTime
import Testing

@testable import TapelineLoop

struct OpeningTests {
  private func instant(_ microseconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: microseconds * 1_000) }

  @Test("Over a network, the SYN leaves as the call returns, and its answer comes a round trip later")
  func network() {
    let opening = Opening(called: instant(100), returned: instant(140), roundTrip: nil)
    #expect(opening.sent == instant(140))
    #expect(opening.answered(notAfter: instant(50_000), roundTrip: 20_000_000) == instant(20_140))
    #expect(opening.answered(notAfter: instant(19_000), roundTrip: 20_000_000) == instant(19_000), "never after we were told")
  }

  @Test("On loopback, both have passed when the call returns")
  func loopback() {
    let opening = Opening(called: instant(100), returned: instant(140), roundTrip: 25_000)
    #expect(opening.sent == instant(115))
    #expect(opening.answered(notAfter: instant(50_000), roundTrip: 25_000) == instant(140))
    #expect(Opening(called: instant(100), returned: instant(110), roundTrip: 25_000).sent == instant(100))
  }

  @Test("If the SYN was sent again, only the loop knows when the answer came")
  func again() {
    let opening = Opening(called: instant(100), returned: instant(140), roundTrip: nil)
    #expect(opening.answered(notAfter: instant(1_050_000), roundTrip: nil) == instant(1_050_000))
  }
}
