import Testing

@testable import TapelineTime

/// Stamps of the kernel become instants; a step of the clock, and what it may have spoilt, is refused.
struct WireClockTests {
  private static let distance: Int64 = 1_800_000_000_000_000_000
  private static let second: Int64 = 1_000_000_000
  private let start = MonotonicInstant(nanoseconds: 100 * WireClockTests.second)

  private func at(_ milliseconds: Int64) -> MonotonicInstant { start.advanced(byNanoseconds: milliseconds * 1_000_000) }

  private func stamp(_ instant: MonotonicInstant, stepped step: Int64 = 0) -> Int64 { instant.nanoseconds + Self.distance + step }

  private func pair(stepped step: Int64 = 0, doubt: Int64 = 40) -> WireClock.Pair {
    WireClock.Pair(distance: Self.distance + step, doubt: doubt)
  }

  @Test func aStampIsTheInstantOfItsPacketHoweverLateItIsRead() throws {
    var clock = WireClock()
    let instant = try #require(clock.instant(ofStamp: stamp(at(1)), readAt: at(21), notBefore: start) { pair() })
    #expect(instant == at(1))
    #expect(instant.clock == .wire)
  }

  @Test func withoutAStampThereIsNoInstant() {
    var clock = WireClock()
    #expect(clock.instant(ofStamp: 0, readAt: at(1), notBefore: start) { pair() } == nil)
  }

  @Test func aStampLaterThanTheReadIsRefusedButForWhatReadingTakes() {
    var clock = WireClock()
    let read = at(1)
    let close = clock.instant(
      ofStamp: stamp(read.advanced(byNanoseconds: 9_000)), readAt: read, notBefore: start
    ) { pair() }
    #expect(close == read, "no byte comes after it was read")
    let late = clock.instant(ofStamp: stamp(read.advanced(byNanoseconds: 11_000)), readAt: read, notBefore: start) { pair() }
    #expect(late == nil)
  }

  @Test func aStampOlderThanTheLastEventIsRefused() {
    var clock = WireClock()
    #expect(clock.instant(ofStamp: stamp(at(4)), readAt: at(6), notBefore: at(5)) { pair() } == nil)
    #expect(clock.instant(ofStamp: stamp(at(5)), readAt: at(6), notBefore: at(5)) { pair() } == at(5))
    #expect(clock.instant(ofStamp: 1, readAt: at(6), notBefore: at(5)) { pair() } == nil, "a stamp of 1970")
  }

  @Test(arguments: [-3_600 * second, -5_000_000, 5_000_000, 3_600 * second])
  func afterAStepNoStampIsBelievedForASecond(step: Int64) {
    var clock = WireClock()
    #expect(clock.instant(ofStamp: stamp(at(1)), readAt: at(1), notBefore: start) { pair() } == at(1))
    // Taken before the step or after it: nobody can tell.
    for shift in [0, step] {
      #expect(
        clock.instant(ofStamp: stamp(at(20), stepped: shift), readAt: at(21), notBefore: start) { pair(stepped: step) } == nil)
    }
    #expect(
      clock.instant(ofStamp: stamp(at(1_020), stepped: step), readAt: at(1_020), notBefore: start) { pair(stepped: step) } == nil)
    #expect(
      clock.instant(ofStamp: stamp(at(1_030), stepped: step), readAt: at(1_031), notBefore: start) { pair(stepped: step) }
        == at(1_030))
  }

  /// As under a library that makes a program's clock run faster than the kernel's.
  @Test func aClockThatDriftsIsNeverBelieved() {
    var clock = WireClock()
    _ = clock.instant(ofStamp: stamp(at(0)), readAt: at(0), notBefore: start) { pair() }
    for turn in 1...2_000 {
      let now = at(Int64(turn) * 10)
      let drift = Int64(turn) * 20_000
      #expect(clock.instant(ofStamp: stamp(now, stepped: drift), readAt: now, notBefore: start) { pair(stepped: drift) } == nil)
    }
  }

  @Test func anInterruptedReadingOfTheClocksMovesNothing() {
    var clock = WireClock()
    _ = clock.instant(ofStamp: stamp(at(0)), readAt: at(0), notBefore: start) { pair() }
    let interrupted = clock.instant(ofStamp: stamp(at(10)), readAt: at(12), notBefore: start) {
      pair(stepped: 3_000_000, doubt: 4_000_000)
    }
    #expect(interrupted == at(10), "the closer pair stays")
  }

  @Test func theClocksAreReadOnceAMillisecond() {
    var clock = WireClock()
    var readings = 0
    for microseconds in stride(from: Int64(0), to: 10_000, by: 10) {
      let now = start.advanced(byNanoseconds: microseconds * 1_000)
      _ = clock.instant(ofStamp: stamp(now), readAt: now, notBefore: start) {
        readings += 1
        return pair()
      }
    }
    #expect(readings <= 10)
  }

  @Test func aPairOfReadingsIsTheDistanceOfTheClocks() {
    let anchor = WallClockAnchor.process
    let pair = WireClock.Pair.read()
    #expect(pair.doubt >= 0)
    // Both know how far the clocks are apart, each as well as it could read them; a step meanwhile would be the machine's.
    #expect(abs(pair.distance - anchor.unixNanoseconds(at: MonotonicInstant(nanoseconds: 0))) < Self.second)
  }
}
