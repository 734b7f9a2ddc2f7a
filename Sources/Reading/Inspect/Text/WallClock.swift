internal import TapelineHAR
internal import TapelineBase
internal import TapelineSystem
internal import TapelineTime

/// Clock times for people: in the zone that `TZ` names, else in the system's zone; or in UTC.
///
/// Programs get the dates as they are in the log.
package enum WallClock: Sendable {
  case local
  case utc

  /// The clock time for a date of a log; `nil` if the date is invalid or out of range.
  func time(of date: String) -> ClockTime? {
    guard let instant = unixNanoseconds(ofDate: date), instant < Int.max,
      let text = InternetDate(unixNanoseconds: instant, minutesEast: minutesEast(at: instant))?.text
    else { return nil }
    let offset =
      switch self {
      case .utc: "UTC"
      case .local: text.hasSuffix("Z") ? "+00:00" : String(text.suffix(6))
      }
    return ClockTime(day: String(text.prefix(10)), time: String(text.dropFirst(11).prefix(15)), offset: offset)
  }

  /// The offset from UTC, by the zone's own rules, including daylight saving time.
  private func minutesEast(at unixNanoseconds: Int) -> Int {
    switch self {
    case .utc: 0
    case .local: SystemClock.secondsEast(atUnixSeconds: unixNanoseconds / 1_000_000_000) / 60
    }
  }
}

/// The time on a clock, with its offset.
struct ClockTime: Hashable, Sendable {
  /// `2026-01-02`.
  let day: String
  /// `03:04:05.678901`.
  let time: String
  /// `+01:00`, or `UTC` if the user asked for UTC.
  let offset: String

  /// `2026-01-02 03:04:05.678901 +01:00`.
  var text: String { "\(day) \(time) \(offset)" }
}
