/// Reads a date of HTTP in its one current form, as in `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 5.6.7).
///
/// The two obsolete forms are not read: whoever asks wants a proof, and does without when there is none.
enum FixedDate {
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Seconds since 1970.
  static func seconds(of text: String) -> Int64? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 6, words[0].utf8.count == 4, words[0].hasSuffix(","), words[5] == "GMT" else { return nil }
    let time = words[4].split(separator: ":", omittingEmptySubsequences: false)
    guard time.count == 3, words[2].utf8.count == 3, let month = month(named: words[2], ignoringCase: false),
      let day = number(words[1], 2, 1...31), let year = number(words[3], 4, 0...9999),
      let hour = number(time[0], 2, 0...23), let minute = number(time[1], 2, 0...59), let second = number(time[2], 2, 0...60)
    else { return nil }
    return seconds(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
  }

  /// Seconds since 1970 of a date in UTC.
  static func seconds(year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64, second: Int64) -> Int64 {
    daysSinceEpoch(year: year, month: month, day: day) * 86_400 + hour * 3_600 + minute * 60 + second
  }

  /// 1 for `Jan`; `nil` for what is no month.
  static func month(named name: Substring, ignoringCase: Bool = true) -> Int64? {
    let index = months.firstIndex { ignoringCase ? $0.lowercased() == name.lowercased() : $0 == name }
    return index.map { Int64($0) + 1 }
  }

  private static func number(_ text: Substring, _ digits: Int, _ range: ClosedRange<Int64>) -> Int64? {
    guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int64(text) else {
      return nil
    }
    return range.contains(value) ? value : nil
  }

  /// Of the Gregorian calendar: years are counted from March, so that the leap day is their last.
  private static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}
