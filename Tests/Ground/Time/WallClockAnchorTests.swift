import Testing

@testable import TapelineTime

@Suite struct WallClockAnchorTests {
  @Test func timesOfDayFollowTheMonotonicClock() {
    let anchor = WallClockAnchor(unixNanoseconds: 1_700_000_000_000_000_000, instant: MonotonicInstant(nanoseconds: 1_000))
    #expect(anchor.unixNanoseconds(at: MonotonicInstant(nanoseconds: 3_500)) == 1_700_000_000_000_002_500)
    #expect(anchor.unixNanoseconds(at: MonotonicInstant(nanoseconds: 0)) == 1_699_999_999_999_999_000)
  }

  @Test func absoluteTimeCountsFrom2001() {
    // 2017-04-05 03:21:06.217 UTC, the sample of TimelineTests.
    let anchor = WallClockAnchor(unixNanoseconds: 1_491_362_466_217_000_000, instant: MonotonicInstant(nanoseconds: 0))
    #expect(abs(anchor.absoluteTime(at: MonotonicInstant(nanoseconds: 0)) - 513_055_266.217) < 1e-6)
  }

  @Test func theTwoReadingsAreSimultaneous() {
    let first = WallClockAnchor.read()
    let second = WallClockAnchor.read()
    // Two anchors of an unstepped clock agree on the offset; a second covers any adjustment in between.
    let offset = { (anchor: WallClockAnchor) in anchor.unixNanoseconds - anchor.instant.nanoseconds }
    #expect(abs(offset(first) - offset(second)) < 1_000_000_000)
    #expect(second.instant >= first.instant)
  }
}
