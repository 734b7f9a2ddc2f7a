internal import TapelineBase

extension InternetDate {
  /// Reads a date as in logs: in RFC 3339 or another form of ISO 8601, as seconds or milliseconds since 1970, or as in header
  /// fields; `nil` when the text has none of these forms, or the date does not exist.
  ///
  /// A date without a zone is taken for UTC.
  static func readLogged(_ text: String) -> Reading? {
    if let reading = read(text) { return reading }
    if let number = HARNumber(text: text)?.double, let date = InternetDate(unixNumber: number) { return .loose(date) }
    // JavaScript writes its zone like this, and the rules for header fields would ignore the zone.
    guard !text.contains("GMT+"), !text.contains("GMT-") else { return nil }
    return CivilDate(lenientHTTPDate: Array(text.utf8).span).map { .loose(InternetDate($0)) }
  }

  /// Milliseconds, or seconds if the number as milliseconds would be in the first months of 1970.
  private init?(unixNumber number: Double) {
    guard number >= 0, number < 253_402_300_800_000 else { return nil }
    let milliseconds = number < 1e11 ? number * 1_000 : number
    let whole = Int(milliseconds)
    let nanosecond = Int((milliseconds - Double(whole)) * 1e6) + whole % 1_000 * 1_000_000
    self.init(unixSeconds: whole / 1_000, nanosecond: nanosecond)
  }
}

/// Nanoseconds since 1970-01-01T00:00:00Z of a date as in logs; `nil` when the text is not a date.
package func unixNanoseconds(ofDate text: String) -> Int? {
  switch InternetDate.readLogged(text) {
  case .exact(let date, _), .loose(let date): date.unixNanoseconds
  case nil: nil
  }
}
