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

/// The dates of header fields.
extension CivilDate {
  /// Reads the only current form of HTTP's dates, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 5.6.7), including a leap second.
  ///
  /// `nil` for everything else, including the two obsolete forms: a caller that uses the date as proof goes without it.
  package init?(imfFixdate text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 29, Self.name(in: Self.weekdays, at: 0, of: bytes) != nil, bytes[3...4].elementsEqual(", ".utf8),
      let day = Self.number(bytes[5...6]), bytes[7] == UInt8(ascii: " "),
      let month = Self.name(in: Self.months, at: 8, of: bytes),
      bytes[11] == UInt8(ascii: " "), let year = Self.number(bytes[12...15]), bytes[16] == UInt8(ascii: " "),
      let hour = Self.number(bytes[17...18]), bytes[19] == UInt8(ascii: ":"), let minute = Self.number(bytes[20...21]),
      bytes[22] == UInt8(ascii: ":"), let second = Self.number(bytes[23...24]), bytes[25...].elementsEqual(" GMT".utf8)
    else { return nil }
    self.init(year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
    guard hasValidDay, hour < 24, minute < 60, second <= 60 else { return nil }
  }

  /// The index in `names` of the three letters at `start`.
  private static func name(in names: [String], at start: Int, of bytes: [UInt8]) -> Int? {
    names.firstIndex { bytes[start..<start + 3].elementsEqual($0.utf8) }
  }

  /// `nil` unless all of `bytes` are digits.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    bytes.allSatisfy(Byte.isDigit) ? bytes.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } : nil
  }

  /// Reads a date in any form that servers write: IMF-fixdate, RFC 850, asctime and their relatives, by the rules for
  /// cookies (RFC 6265 5.1.1). A zone is ignored. A two-digit year means 1970 to 2069.
  ///
  /// `nil` when a part is missing, or the date does not exist.
  package init?(lenientHTTPDate text: Span<UInt8>) {
    var parts = DateParts()
    var start: Int?
    for index in 0...text.count {
      if index < text.count, !DateParts.isDelimiter(text[index]) {
        start = start ?? index
      } else if let begun = start {
        parts.take(text, begun..<index)
        start = nil
      }
    }
    guard let date = parts.date else { return nil }
    self = date
  }
}

/// The parts of a date found so far. Each token counts as the first part that it can be and that is not yet known.
private struct DateParts {
  private var time: (hour: Int, minute: Int, second: Int)?
  private var day: Int?
  private var month: Int?
  private var year: Int?

  fileprivate static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  mutating func take(_ text: Span<UInt8>, _ token: Range<Int>) {
    if time == nil, let time = Self.time(text, token) {
      self.time = time
    } else if day == nil, let day = Self.number(text, token, digits: 1...2) {
      self.day = day
    } else if month == nil, let month = Self.month(text, token) {
      self.month = month
    } else if year == nil, let year = Self.number(text, token, digits: 2...4) {
      self.year = year < 70 ? year + 2_000 : year < 100 ? year + 1_900 : year
    }
  }

  var date: CivilDate? {
    guard let time, let day, let month, let year, year >= 1_601 else { return nil }
    let date = CivilDate(year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second)
    return date.isValid ? date : nil
  }

  /// `h:m:s` with one or two digits each; text after the seconds is ignored.
  private static func time(_ text: Span<UInt8>, _ token: Range<Int>) -> (hour: Int, minute: Int, second: Int)? {
    guard let first = token.first(where: { text[$0] == UInt8(ascii: ":") }),
      let second = (first + 1..<token.upperBound).first(where: { text[$0] == UInt8(ascii: ":") }),
      let hours = number(text, token.lowerBound..<first, digits: 1...2, isWhole: true),
      let minutes = number(text, first + 1..<second, digits: 1...2, isWhole: true),
      let seconds = number(text, second + 1..<token.upperBound, digits: 1...2)
    else { return nil }
    return (hours, minutes, seconds)
  }

  /// The number with which a token begins; `nil` if the count of its digits is not in `digits`.
  ///
  /// - Parameter isWhole: whether the number must be the whole token.
  private static func number(
    _ text: Span<UInt8>, _ token: Range<Int>, digits: ClosedRange<Int>, isWhole: Bool = false
  ) -> Int? {
    var value = 0
    var count = 0
    for index in token {
      guard Byte.isDigit(text[index]) else { break }
      count += 1
      guard count <= digits.upperBound else { return nil }
      value = value * 10 + Int(text[index] - UInt8(ascii: "0"))
    }
    return count >= digits.lowerBound && (!isWhole || count == token.count) ? value : nil
  }

  /// 1 for `jan`, in either case, whatever follows.
  private static func month(_ text: Span<UInt8>, _ token: Range<Int>) -> Int? {
    guard token.count >= 3 else { return nil }
    let index = CivilDate.months.firstIndex { name in
      zip(name.utf8, token).allSatisfy { letter, place in letter | 0x20 == text[place] | 0x20 }
    }
    return index.map { $0 + 1 }
  }
}
