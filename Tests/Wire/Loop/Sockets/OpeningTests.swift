import TapelineTime
import Testing

@testable import TapelineLoop

struct OpeningTests {
  private static func instant(_ microseconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: microseconds * 1_000)
  }

  private func opening(called: Int64, returned: Int64, roundTrip: Int64?) -> Opening {
    Opening(called: Self.instant(called), returned: Self.instant(returned), roundTrip: roundTrip)
  }

  @Test("Over a network, the SYN leaves as the call returns, and its answer comes a round trip later")
  func network() {
    let opening = opening(called: 100, returned: 140, roundTrip: nil)
    #expect(opening.sent == Self.instant(140))
    #expect(opening.answered(notAfter: Self.instant(50_000), roundTrip: 20_000_000) == Self.instant(20_140))
    #expect(
      opening.answered(notAfter: Self.instant(19_000), roundTrip: 20_000_000) == Self.instant(19_000), "never after we were told")
  }

  @Test("On loopback, both have passed when the call returns, as long after its beginning as before its end")
  func loopback() {
    let opening = opening(called: 100, returned: 140, roundTrip: 10_000)
    #expect(opening.sent == Self.instant(115))
    #expect(opening.answered(notAfter: Self.instant(50_000), roundTrip: asked()) == Self.instant(125))
  }

  /// For an opening whose round trip is known.
  private func asked() -> Int64? {
    Issue.record("the kernel was asked again")
    return nil
  }

  @Test("A call in which another program had the processor tells no more than one in which it had not")
  func interrupted() {
    let late = opening(called: 100, returned: 2_140, roundTrip: 10_000)
    #expect(late.sent == Self.instant(125))
    #expect(late.answered(notAfter: Self.instant(50_000), roundTrip: asked()) == Self.instant(135))
    let quick = opening(called: 100, returned: 110, roundTrip: 25_000)
    #expect(quick.sent == Self.instant(100), "the kernel's clock ticks differently")
  }

  @Test("If the SYN was sent again, only the loop knows when the answer came")
  func again() {
    let opening = opening(called: 100, returned: 140, roundTrip: nil)
    #expect(opening.answered(notAfter: Self.instant(1_050_000), roundTrip: nil) == Self.instant(1_050_000))
  }
}
