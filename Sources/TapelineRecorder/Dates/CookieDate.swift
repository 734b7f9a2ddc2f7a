internal import TapelineText

/// The dates of `Expires`, in any of the forms that servers write (RFC 6265, 5.1.1).
enum CookieDate {
  /// `nil` when it is no date: then the cookie has no `expires`.
  static func parse(_ text: Span<UInt8>) -> CalendarDate? {
    var fields = Fields()
    var start: Int?
    for index in 0...text.count {
      if index < text.count, !isDelimiter(text[index]) {
        start = start ?? index
      } else if let begun = start {
        fields.take(text, in: begun..<index)
        start = nil
      }
    }
    return fields.date
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  /// Each token is the first of these that it can be and that is not yet known.
  private struct Fields {
    private var time: (hour: Int64, minute: Int64, second: Int64)?
    private var day: Int64?
    private var month: Int64?
    private var year: Int64?

    mutating func take(_ text: Span<UInt8>, in token: Range<Int>) {
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

    var date: CalendarDate? {
      guard let time, let day, let month, let year, year >= 1_601, (1...31).contains(day), time.hour < 24, time.minute < 60,
        time.second < 60
      else { return nil }
      return CalendarDate(year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second)
    }

    /// `h:m:s` of one or two digits each; what follows is passed over.
    private static func time(_ text: Span<UInt8>, _ token: Range<Int>) -> (hour: Int64, minute: Int64, second: Int64)? {
      guard let first = text.first(of: UInt8(ascii: ":"), from: token.lowerBound), first < token.upperBound,
        let second = text.first(of: UInt8(ascii: ":"), from: first + 1), second < token.upperBound,
        let hours = number(text, token.lowerBound..<first, digits: 1...2),
        let minutes = number(text, first + 1..<second, digits: 1...2),
        let seconds = number(text, second + 1..<token.upperBound, digits: 1...2)
      else { return nil }
      return (hours, minutes, seconds)
    }

    /// The number that a token starts with; `nil` unless it has that many digits.
    private static func number(_ text: Span<UInt8>, _ token: Range<Int>, digits: ClosedRange<Int>) -> Int64? {
      var value: Int64 = 0
      var count = 0
      for index in token {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[index]) else { break }
        count += 1
        guard count <= digits.upperBound else { return nil }
        value = value * 10 + Int64(text[index] - UInt8(ascii: "0"))
      }
      return count >= digits.lowerBound ? value : nil
    }

    private static func month(_ text: Span<UInt8>, _ token: Range<Int>) -> Int64? {
      let names: [StaticString] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
      for (index, name) in names.enumerated() where text.starts(with: name, in: token) {
        return Int64(index + 1)
      }
      return nil
    }
  }
}
