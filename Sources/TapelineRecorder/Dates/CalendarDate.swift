internal import TapelineHAR

/// A second in the proleptic Gregorian calendar, in UTC without leap seconds.
///
/// The conversions are those of Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms": years begin in March, so that
/// the leap day is the last one, in eras of 400 years.
struct CalendarDate: Hashable {
  var year: Int64
  /// 1 to 12.
  var month: Int64
  /// 1 to 31.
  var day: Int64
  var hour: Int64
  var minute: Int64
  var second: Int64

  private static let secondsPerDay: Int64 = 86_400
  private static let daysPerEra: Int64 = 146_097
  /// From 0000-03-01 to 1970-01-01.
  private static let daysToEpoch: Int64 = 719_468

  init(year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64, second: Int64) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  init(unixSeconds: Int64) {
    let days = floorDivide(unixSeconds, Self.secondsPerDay)
    let secondOfDay = unixSeconds - days * Self.secondsPerDay
    let shifted = days + Self.daysToEpoch
    let era = floorDivide(shifted, Self.daysPerEra)
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

  /// Appends `YYYY-MM-DDTHH:MM:SS`.
  func append(to writer: inout JSONWriter) {
    let parts: [(value: Int64, digits: Int, after: UInt8?)] = [
      (year, 4, UInt8(ascii: "-")), (month, 2, UInt8(ascii: "-")), (day, 2, UInt8(ascii: "T")),
      (hour, 2, UInt8(ascii: ":")), (minute, 2, UInt8(ascii: ":")), (second, 2, nil),
    ]
    for part in parts {
      writer.append(padded: UInt64(max(0, part.value)), digits: part.digits)
      if let separator = part.after { writer.append(byte: separator) }
    }
  }
}

private func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
  let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
  return remainder < 0 ? quotient - 1 : quotient
}
