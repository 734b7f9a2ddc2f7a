extension CalendarDate {
  /// How far a text is from what HAR wants of a date.
  enum Reading: Sendable, Hashable {
    /// RFC 3339, with so many digits of a fraction.
    case exact(CalendarDate, fractionDigits: Int)
    /// Another form that is understood.
    case loose(CalendarDate)
  }

  /// Reads a date in RFC 3339, in the other forms of ISO 8601 that logs have, in the form of HTTP (RFC 9110, section 5.6.7), or
  /// as seconds or milliseconds since 1970; `nil` when it is none.
  ///
  /// A date without a zone is taken for UTC.
  static func read(_ text: String) -> Reading? {
    var scanner = TextScanner(text)
    if let (date, digits, isExact) = readISO(&scanner), date.isValid {
      return isExact ? .exact(date, fractionDigits: digits) : .loose(date)
    }
    if let number = HARNumber(text: text)?.double, let date = CalendarDate(unixNumber: number) { return .loose(date) }
    return readHTTP(text).map(Reading.loose)
  }

  /// Milliseconds, or seconds when so few would be in the first months of 1970.
  private init?(unixNumber number: Double) {
    guard number >= 0, number < 253_402_300_800_000 else { return nil }
    let milliseconds = number < 1e11 ? number * 1_000 : number
    let whole = Int(milliseconds)
    let nanosecond = Int((milliseconds - Double(whole)) * 1e6) + whole % 1_000 * 1_000_000
    self.init(unixSeconds: whole / 1_000, nanosecond: nanosecond)
  }

  private static func readISO(_ scanner: inout TextScanner) -> (date: CalendarDate, fractionDigits: Int, isExact: Bool)? {
    guard let year = scanner.takeNumber(digits: 4) else { return nil }
    var isExact = scanner.take("-")
    guard let month = scanner.takeNumber(digits: 2) else { return nil }
    isExact = scanner.take("-") && isExact
    guard let day = scanner.takeNumber(digits: 2) else { return nil }
    var date = CalendarDate(year: year, month: month, day: day)
    if scanner.isAtEnd { return (date, 0, false) }
    if !scanner.take("T") {
      guard scanner.take(" ") || scanner.take("t") else { return nil }
      isExact = false
    }
    guard let hour = scanner.takeNumber(digits: 2) else { return nil }
    isExact = scanner.take(":") && isExact
    guard let minute = scanner.takeNumber(digits: 2) else { return nil }
    date.hour = hour
    date.minute = minute
    isExact = scanner.take(":") && isExact
    if let second = scanner.takeNumber(digits: 2) { date.second = second } else { isExact = false }
    let digits = readFraction(&scanner, into: &date, isExact: &isExact)
    guard readZone(&scanner, into: &date, isExact: &isExact), scanner.isAtEnd else { return nil }
    return (date, digits, isExact)
  }

  /// Returns how many digits there were.
  private static func readFraction(_ scanner: inout TextScanner, into date: inout CalendarDate, isExact: inout Bool) -> Int {
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

  private static func readZone(_ scanner: inout TextScanner, into date: inout CalendarDate, isExact: inout Bool) -> Bool {
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
    return (minutes ?? 0) < 60
  }

  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  /// `Fri, 02 Jan 2026 03:04:05 GMT`, also with hyphens as old cookies have them.
  private static func readHTTP(_ text: String) -> CalendarDate? {
    let words = text.lowercased().split(whereSeparator: { $0 == " " || $0 == "," || $0 == "-" })
    guard words.count >= 5, let day = Int(words[1]), let month = months.firstIndex(of: String(words[2].prefix(3))),
      let number = Int(words[3])
    else { return nil }
    let clock = words[4].split(separator: ":").compactMap { Int($0) }
    guard clock.count == 3 else { return nil }
    // Two digits are a year between 1970 and 2069 (RFC 6265, section 5.1.1).
    let year = number < 70 ? number + 2_000 : number < 100 ? number + 1_900 : number
    var date = CalendarDate(year: year, month: month + 1, day: day)
    (date.hour, date.minute, date.second) = (clock[0], clock[1], clock[2])
    return date.isValid ? date : nil
  }
}
