import Testing

@testable import TapelineTime

@Suite struct MonotonicInstantTests {
  @Test("An instant is one word, and knows who took it", arguments: MonotonicInstant.Clock.allCases)
  func oneWord(clock: MonotonicInstant.Clock) {
    #expect(MemoryLayout<MonotonicInstant>.size == 8)
    for nanoseconds in [Int64.min >> 1, -2, -1, 0, 1, 1_700_000_000_000_000_000, Int64.max >> 1] {
      let instant = MonotonicInstant(nanoseconds: nanoseconds, clock: clock)
      #expect(instant.nanoseconds == nanoseconds)
      #expect(instant.clock == clock)
    }
  }

  @Test func whoTookItHasNoPartInComparisons() {
    let (wire, loop) = (MonotonicInstant(nanoseconds: 7, clock: .wire), MonotonicInstant(nanoseconds: 7))
    #expect(wire == loop)
    #expect(!(loop < wire) && !(wire < loop))
    #expect(wire.hashValue == loop.hashValue)
    #expect(wire.byLoop.clock == .loop)
    #expect(wire.advanced(byNanoseconds: 1).clock == .loop)
  }

  @Test func whatTheWordCannotHoldIsClamped() {
    #expect(MonotonicInstant(nanoseconds: .max, clock: .wire) == MonotonicInstant(nanoseconds: Int64.max >> 1))
    #expect(MonotonicInstant(nanoseconds: .min, clock: .wire) == MonotonicInstant(nanoseconds: Int64.min >> 1))
    #expect(MonotonicInstant(nanoseconds: .max, clock: .wire).clock == .wire)
    #expect(MonotonicInstant(nanoseconds: .min) < MonotonicInstant(nanoseconds: .max))
  }
}
