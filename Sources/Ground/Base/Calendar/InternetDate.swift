/// A date of RFC 3339: a time of day to the nanosecond, and the offset of its zone from UTC.
package struct InternetDate: Sendable, Hashable {
  /// The time that a clock in the zone shows.
  package var civil: CivilDate
  package var nanosecond = 0
  /// Minutes east of UTC.
  package var offset = 0

  package static let epoch = InternetDate(CivilDate(year: 1970, month: 1, day: 1))

  package init(_ civil: CivilDate) {
    self.civil = civil
  }

  /// The instant as a clock shows it `minutesEast` minutes east of UTC; `nil` if that is before 1970 or after the year 9999.
  package init?(unixNanoseconds: Int, minutesEast: Int = 0) {
    let (seconds, nanosecond) = unixNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    self.init(unixSeconds: seconds + minutesEast * 60, nanosecond: nanosecond)
    offset = minutesEast
  }

  /// In UTC; `nil` before 1970 or after the year 9999.
  package init?(unixSeconds: Int, nanosecond: Int) {
    guard (0..<253_402_300_800).contains(unixSeconds), nanosecond >= 0 else { return nil }
    civil = CivilDate(unixSeconds: Int64(unixSeconds))
    self.nanosecond = nanosecond
  }

  /// Whether this day, this time and this zone exist.
  package var isValid: Bool { (civil.isValid || isLeapSecond) && offset.magnitude < 24 * 60 }

  /// Whether this is the 61st second of the last minute of a month in UTC, where alone one can be (RFC 3339 5.7).
  private var isLeapSecond: Bool {
    var before = civil
    before.second -= 1
    guard civil.second == 60, before.isValid else { return false }
    let instant = before.unixSeconds - Int64(offset * 60)
    return CivilDate(unixSeconds: instant).month != CivilDate(unixSeconds: instant + 1).month
  }

  /// Nanoseconds since 1970-01-01T00:00:00Z; dates too far away are clamped to the range of `Int`.
  package var unixNanoseconds: Int {
    let seconds = Int(civil.unixSeconds) - offset * 60
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? Int.min : Int.max }
    let (sum, overflows) = product.addingReportingOverflow(nanosecond)
    return overflows ? Int.max : sum
  }

  /// With six decimals, as in HAR: `2026-01-02T03:04:05.678901Z`, or with `+01:00` at the end.
  package var text: String {
    let time = "\(civil.text).\(CivilDate.padded(nanosecond / 1_000, 6))"
    guard offset != 0 else { return time + "Z" }
    let distance = Int(offset.magnitude)
    return "\(time)\(offset < 0 ? "-" : "+")\(CivilDate.padded(distance / 60, 2)):\(CivilDate.padded(distance % 60, 2))"
  }
}

// MARK: Reading

extension InternetDate {
  /// How closely a text follows RFC 3339.
  package enum Reading: Sendable, Hashable {
    /// RFC 3339, with this many decimals.
    case exact(InternetDate, fractionDigits: Int)
    /// Another form that is understood.
    case loose(InternetDate)
  }

  /// Reads RFC 3339, and the other forms of ISO 8601 that occur in logs. A date without a zone is taken as UTC.
  ///
  /// `nil` when the text has another form, or the date does not exist.
  package static func read(_ text: String) -> Reading? {
    var scanner = TextScanner(text)
    guard let (date, digits, isExact) = scan(&scanner), date.isValid else { return nil }
    return isExact ? .exact(date, fractionDigits: digits) : .loose(date)
  }

  private static func scan(_ scanner: inout TextScanner) -> (date: InternetDate, fractionDigits: Int, isExact: Bool)? {
    guard let year = scanner.takeNumber(digits: 4) else { return nil }
    var isExact = scanner.take("-")
    guard let month = scanner.takeNumber(digits: 2) else { return nil }
    isExact = scanner.take("-") && isExact
    guard let day = scanner.takeNumber(digits: 2) else { return nil }
    var date = InternetDate(CivilDate(year: year, month: month, day: day))
    if scanner.isAtEnd { return (date, 0, false) }
    if !scanner.take("T") {
      guard scanner.take(" ") || scanner.take("t") else { return nil }
      isExact = false
    }
    guard let hour = scanner.takeNumber(digits: 2) else { return nil }
    isExact = scanner.take(":") && isExact
    guard let minute = scanner.takeNumber(digits: 2) else { return nil }
    date.civil.hour = hour
    date.civil.minute = minute
    isExact = scanner.take(":") && isExact
    if let second = scanner.takeNumber(digits: 2) { date.civil.second = second } else { isExact = false }
    let digits = scanFraction(&scanner, into: &date, isExact: &isExact)
    guard scanZone(&scanner, into: &date, isExact: &isExact), scanner.isAtEnd else { return nil }
    return (date, digits, isExact)
  }

  /// Returns the number of digits.
  private static func scanFraction(_ scanner: inout TextScanner, into date: inout InternetDate, isExact: inout Bool) -> Int {
    if !scanner.take(".") {
      guard scanner.take(",") else { return 0 }
      isExact = false
    }
    var digits = 0
    while let digit = scanner.takeNumber(digits: 1) {
      digits += 1
      if digits <= 9 { date.nanosecond = date.nanosecond * 10 + digit }
    }
    for _ in min(digits, 9)..<9 { date.nanosecond *= 10 }
    if digits == 0 { isExact = false }
    return digits
  }

  private static func scanZone(_ scanner: inout TextScanner, into date: inout InternetDate, isExact: inout Bool) -> Bool {
    if scanner.take("Z") { return true }
    if scanner.isAtEnd || scanner.take("z") || scanner.take(" UTC") || scanner.take(" GMT") {
      isExact = false
      return true
    }
    if scanner.take(" ") { isExact = false }
    let isWest = scanner.take("-")
    guard isWest || scanner.take("+"), let hours = scanner.takeNumber(digits: 2) else { return false }
    isExact = scanner.take(":") && isExact
    let minutes = scanner.takeNumber(digits: 2)
    if minutes == nil { isExact = false }
    date.offset = (hours * 60 + (minutes ?? 0)) * (isWest ? -1 : 1)
    // Python's `isoformat()` has the zone, and its callers append the Z.
    if date.offset == 0, scanner.take("Z") { isExact = false }
    return (minutes ?? 0) < 60
  }
}
