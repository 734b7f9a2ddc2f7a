internal import Glibc

/// A second in the Gregorian calendar in UTC, as certificates write it.
///
/// The conversion is that of Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms": years begin in March, so that the
/// leap day is the last one, in eras of 400 years.
struct UTCDate: Hashable {
  let year: Int64
  /// 1 to 12.
  let month: Int64
  /// 1 to 31.
  let day: Int64
  let hour: Int64
  let minute: Int64
  let second: Int64

  static let secondsPerDay: Int64 = 86_400
  private static let daysPerEra: Int64 = 146_097
  /// From 0000-03-01 to 1970-01-01.
  private static let daysToEpoch: Int64 = 719_468

  init(unixSeconds: Int64) {
    precondition(unixSeconds >= 0, "no certificate of ours is older than 1970")
    let (days, secondOfDay) = unixSeconds.quotientAndRemainder(dividingBy: Self.secondsPerDay)
    let (era, dayOfEra) = (days + Self.daysToEpoch).quotientAndRemainder(dividingBy: Self.daysPerEra)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    hour = secondOfDay / 3_600
    minute = secondOfDay / 60 % 60
    second = secondOfDay % 60
  }

  /// `YYYY-MM-DD`.
  var dayText: String {
    "\(Self.padded(year, to: 4))-\(Self.padded(month, to: 2))-\(Self.padded(day, to: 2))"
  }

  /// `YYYYMMDDHHMMSSZ`; a UTCTime leaves out the century.
  var compactText: String {
    Self.padded(year, to: 4) + [month, day, hour, minute, second].map { Self.padded($0, to: 2) }.joined() + "Z"
  }

  private static func padded(_ value: Int64, to width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

/// Certificates are valid by the calendar, so their clock is the wall clock.
package func wallClockSeconds() -> Int64 {
  Int64(time(nil))
}
