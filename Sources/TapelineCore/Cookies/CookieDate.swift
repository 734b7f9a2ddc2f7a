internal import FoundationEssentials

/// The dates of cookies, in whatever form servers write them (RFC 6265 5.1.1).
enum CookieDate {
  /// `nil` when a part is missing or belongs to no date.
  static func date(of text: Substring) -> Date? {
    var time: (hour: Int64, minute: Int64, second: Int64)?
    var (day, month, year): (Int64?, Int64?, Int64?)
    for token in text.utf8.split(whereSeparator: isDelimiter).compactMap({ Substring($0) }) {
      if time == nil, let found = clock(token) {
        time = found
      } else if day == nil, let found = number(token, digits: 1...2) {
        day = found
      } else if month == nil, let found = FixedDate.month(named: token.prefix(3)) {
        month = found
      } else if year == nil, let found = number(token, digits: 2...4) {
        // RFC 6265 5.1.1: 70 to 99 are of the last century.
        year = found < 70 ? found + 2000 : found < 100 ? found + 1900 : found
      }
    }
    guard let time, let day, let month, let year, (1...31).contains(day), year >= 1601 else { return nil }
    guard time.hour < 24, time.minute < 60, time.second < 60 else { return nil }
    let seconds = FixedDate.seconds(
      year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second)
    return Date(timeIntervalSince1970: Double(seconds))
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  private static func clock(_ token: Substring) -> (Int64, Int64, Int64)? {
    let parts = token.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2),
      let second = number(parts[2], digits: 1...2)
    else { return nil }
    return (hour, minute, second)
  }

  /// The digits at the beginning: what follows them does not count.
  private static func number(_ token: Substring, digits: ClosedRange<Int>) -> Int64? {
    let found = token.utf8.prefix { (0x30...0x39).contains($0) }
    return digits.contains(found.count) ? Int64(Substring(found)) : nil
  }
}
