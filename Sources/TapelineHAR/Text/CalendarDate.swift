/// A date and time of day in the proleptic Gregorian calendar, with its distance from UTC.
struct CalendarDate: Sendable, Hashable {
  var year: Int
  var month: Int
  var day: Int
  var hour = 0
  var minute = 0
  var second = 0
  var nanosecond = 0
  /// Minutes east of UTC.
  var offset = 0

  static let epoch = CalendarDate(year: 1970, month: 1, day: 1)

  /// Whether there is such a day and such a time. A leap second is none: readers refuse it.
  var isValid: Bool {
    (0...9999).contains(year) && (1...12).contains(month) && day >= 1 && day <= Self.days(in: month, of: year)
      && (0...23).contains(hour) && (0...59).contains(minute) && (0...59).contains(second) && offset.magnitude < 24 * 60
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Nanoseconds since 1970-01-01T00:00:00Z; years far from ours end at what an `Int` holds.
  var unixNanoseconds: Int {
    // Years begin in March, so that the leap day is the last.
    let year = month > 2 ? self.year : self.year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let days = 365 * year + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    let seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? Int.min : Int.max }
    let (sum, overflows) = product.addingReportingOverflow(nanosecond)
    return overflows ? Int.max : sum
  }

  /// The date in UTC, so many seconds and nanoseconds after 1970-01-01T00:00:00Z; `nil` before that or beyond the year 9999.
  init?(unixSeconds: Int, nanosecond: Int = 0) {
    guard (0..<253_402_300_800).contains(unixSeconds) else { return nil }
    let (days, rest) = unixSeconds.quotientAndRemainder(dividingBy: 86_400)
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    hour = rest / 3_600
    minute = rest / 60 % 60
    second = rest % 60
    self.nanosecond = nanosecond
  }

  init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// As HAR and RFC 3339 have it, with six digits of a fraction: `2026-01-02T03:04:05.678901Z`, or with `+01:00` at the end.
  var text: String {
    let date = "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
    let time = "\(Self.padded(hour, 2)):\(Self.padded(minute, 2)):\(Self.padded(second, 2))"
    let fraction = Self.padded(nanosecond / 1_000, 6)
    guard offset != 0 else { return "\(date)T\(time).\(fraction)Z" }
    let distance = Int(offset.magnitude)
    return "\(date)T\(time).\(fraction)\(offset < 0 ? "-" : "+")\(Self.padded(distance / 60, 2)):\(Self.padded(distance % 60, 2))"
  }

  private static func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

/// An instant as RFC 3339 has it, `2026-01-02T04:04:05.678901+01:00`, so many minutes east of UTC; with `Z` at the end for none.
///
/// `nil` where that is a date before 1970 or after the year 9999.
package func dateText(unixNanoseconds: Int, minutesEast: Int) -> String? {
  let (seconds, nanosecond) = unixNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
  guard nanosecond >= 0, var date = CalendarDate(unixSeconds: seconds + minutesEast * 60, nanosecond: nanosecond) else {
    return nil
  }
  date.offset = minutesEast
  return date.text
}
