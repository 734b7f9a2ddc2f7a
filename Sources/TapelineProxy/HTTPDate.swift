internal import TapelineTime

/// The text of the `Date` field (IMF-fixdate, RFC 9110 5.6.7), made anew once a second. Loop-bound.
struct HTTPDate {
  private var second: Int64 = .min
  private var text = ""

  /// The date at `instant`, e.g. `Sun, 06 Nov 1994 08:49:37 GMT`.
  mutating func text(at instant: MonotonicInstant) -> String {
    let now = WallClockAnchor.process.unixNanoseconds(at: instant) / 1_000_000_000
    if now != second {
      second = now
      text = Self.text(ofUnixSecond: now)
    }
    return text
  }

  static func text(ofUnixSecond second: Int64) -> String {
    let (day, secondOfDay) = second.quotientAndRemainder(dividingBy: 86_400)
    let (year, month, dayOfMonth) = civilDate(ofUnixDay: day)
    // 1970-01-01 was a Thursday.
    let weekday = weekdays[Int((day + 4) % 7)]
    let time = [secondOfDay / 3_600, secondOfDay / 60 % 60, secondOfDay % 60].map(twoDigits).joined(separator: ":")
    return "\(weekday), \(twoDigits(dayOfMonth)) \(months[Int(month) - 1]) \(year) \(time) GMT"
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private static func twoDigits(_ number: Int64) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }

  /// The Gregorian date of a day since 1970-01-01, by counting in 400-year eras that begin on 1 March.
  private static func civilDate(ofUnixDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfMonth)
  }
}
