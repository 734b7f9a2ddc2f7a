/// A second in the proleptic Gregorian calendar, in UTC without leap seconds: the dates of HTTP, cookies, certificates and logs.
///
/// The conversion is that of Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms": years begin in March, so that the
/// leap day is their last day, and 400 years are an era.
package struct CivilDate: Sendable, Hashable {
  package var year: Int
  /// 1 to 12.
  package var month: Int
  /// 1 to 31.
  package var day: Int
  /// 0 to 23.
  package var hour: Int
  /// 0 to 59.
  package var minute: Int
  /// 0 to 59; 60 in a leap second.
  package var second: Int

  package static let secondsPerDay: Int64 = 86_400
  private static let daysPerEra = 146_097
  /// From 0000-03-01 to 1970-01-01.
  private static let daysToEpoch = 719_468

  package init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// - Parameter unixSeconds: since 1970-01-01T00:00:00Z; negative before.
  package init(unixSeconds: Int64) {
    let seconds = Int(unixSeconds)
    let days = Self.floorDivide(seconds, by: Int(Self.secondsPerDay))
    let secondOfDay = seconds - days * Int(Self.secondsPerDay)
    let shifted = days + Self.daysToEpoch
    let era = Self.floorDivide(shifted, by: Self.daysPerEra)
    let dayOfEra = shifted - era * Self.daysPerEra
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

  /// Seconds since 1970-01-01T00:00:00Z.
  package var unixSeconds: Int64 {
    Int64(((unixDay * 24 + hour) * 60 + minute) * 60 + second)
  }

  /// Days since 1970-01-01.
  private var unixDay: Int {
    let yearFromMarch = month > 2 ? year : year - 1
    let era = Self.floorDivide(yearFromMarch, by: 400)
    let yearOfEra = yearFromMarch - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * Self.daysPerEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - Self.daysToEpoch
  }

  private static func floorDivide(_ value: Int, by divisor: Int) -> Int {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// Whether the calendar has this day, in a year of four digits, and the day this time. Leap seconds are not valid here.
  package var isValid: Bool {
    hasValidDay && (0...23).contains(hour) && (0...59).contains(minute) && (0...59).contains(second)
  }

  var hasValidDay: Bool {
    (0...9999).contains(year) && (1...12).contains(month) && day >= 1 && day <= Self.days(in: month, of: year)
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

// MARK: Writing

extension CivilDate {
  static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// `1994-11-06`.
  package var dayText: String { "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))" }

  /// `08:49:37`.
  package var timeText: String { "\(Self.padded(hour, 2)):\(Self.padded(minute, 2)):\(Self.padded(second, 2))" }

  /// `1994-11-06T08:49:37`: RFC 3339, up to the fraction and the zone.
  package var text: String { "\(dayText)T\(timeText)" }

  /// `19941106`.
  package var compactDay: String { Self.padded(year, 4) + Self.padded(month, 2) + Self.padded(day, 2) }

  /// `084937`.
  package var compactTime: String { Self.padded(hour, 2) + Self.padded(minute, 2) + Self.padded(second, 2) }

  /// `19941106084937Z`: GeneralizedTime as in certificates (RFC 5280 4.1.2.5.2). UTCTime leaves out the century.
  package var generalizedTime: String { "\(compactDay)\(compactTime)Z" }

  /// `Sun, 06 Nov 1994 08:49:37 GMT`: the IMF-fixdate of RFC 9110 5.6.7.
  package var imfFixdate: String {
    // 1970-01-01 was a Thursday.
    let weekday = unixDay + 4 - Self.floorDivide(unixDay + 4, by: 7) * 7
    return "\(Self.weekdays[weekday]), \(Self.padded(day, 2)) \(Self.months[month - 1]) \(Self.padded(year, 4)) \(timeText) GMT"
  }

  /// The digits of `value`, with leading zeros up to `width`.
  package static func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
