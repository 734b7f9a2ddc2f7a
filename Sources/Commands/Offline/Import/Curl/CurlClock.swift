internal import TapelineBase
internal import TapelineSystem
internal import TapelineTime

/// Makes instants of the times in a trace, which have no date: the time of day by the local clock.
///
/// A day ends where the time falls back by more than half a day.
struct CurlClock {
  /// Nanoseconds from midnight of the first day to 1970, if local time were UTC.
  private var day: Int64
  private var last: Int64?
  /// How often midnight passed.
  private(set) var midnights = 0

  private static let dayLength: Int64 = 86_400_000_000_000

  /// - Parameter firstDay: the day of the first line, by the local calendar.
  init(firstDay: CivilDate) {
    day = CivilDate(year: firstDay.year, month: firstDay.month, day: firstDay.day).unixSeconds * 1_000_000_000
  }

  /// The first day of a text whose last line was written at `end`.
  init(lastLineAt end: Int, midnights: Int) {
    let local = end + SystemClock.secondsEast(atUnixSeconds: end)
    self.init(firstDay: CivilDate(unixSeconds: Int64(local - midnights * 86_400)))
  }

  /// - Parameter timeOfDay: nanoseconds since midnight.
  mutating func instant(of timeOfDay: Int64) -> MonotonicInstant {
    if let last, last - timeOfDay > Self.dayLength / 2 {
      day += Self.dayLength
      midnights += 1
    }
    last = timeOfDay
    let local = day + timeOfDay
    let seconds = Int(local / 1_000_000_000)
    // The offset is that at the instant itself, not at the same time of day in UTC.
    let offset = SystemClock.secondsEast(atUnixSeconds: seconds - SystemClock.secondsEast(atUnixSeconds: seconds))
    return MonotonicInstant(nanoseconds: local - Int64(offset) * 1_000_000_000)
  }
}
