import TapelineTime
import Testing

@Suite("Durations and nanoseconds")
struct DurationTests {
  @Test(
    "A duration has so many whole nanoseconds",
    arguments: [
      (.zero, 0), (.nanoseconds(1), 1), (.seconds(60), 60_000_000_000), (.milliseconds(-1_500), -1_500_000_000),
      (.seconds(1e-10), 0), (.seconds(4_722), 4_722_000_000_000), (.seconds(4_723), 4_723_000_000_000),
      (.nanoseconds(1_000_000_000_000_000_007), 1_000_000_000_000_000_007),
      (.nanoseconds(Int64.max), .max), (.nanoseconds(Int64.min), .min),
      (.seconds(10_000_000_000), .max), (.seconds(-10_000_000_000), .min),
    ] as [(Duration, Int64)])
  func nanoseconds(duration: Duration, nanoseconds: Int64) {
    #expect(duration.nanoseconds == nanoseconds)
  }

  @Test("An instant advances by a duration, at most to the end of the clock")
  func advancing() {
    let instant = MonotonicInstant(nanoseconds: 5)
    #expect(instant.advanced(by: .microseconds(2)) == MonotonicInstant(nanoseconds: 2_005))
    #expect(instant.advanced(by: .nanoseconds(Int64.max)) == MonotonicInstant(nanoseconds: .max))
    #expect(instant.advanced(by: .microseconds(2)).duration(since: instant) == .microseconds(2))
    #expect(instant.duration(since: instant.advanced(by: .microseconds(2))) == .microseconds(-2))
  }
}
