internal import TapelineTime

/// The rules of HAR for a date, wherever it appears.
enum DateLint {
  /// Rewrites a date in the form that all readers take; `nil` when it has that form already.
  static func mend(_ text: inout String, or substitute: String) -> (rule: HARRule, message: String)? {
    var mended: String? = text
    guard let finding = mend(&mended) else { return nil }
    text = mended ?? substitute
    return finding
  }

  /// As above, but text that is not a date becomes `nil`.
  static func mend(_ text: inout String?) -> (rule: HARRule, message: String)? {
    guard let original = text else { return nil }
    switch InternetDate.readLogged(original) {
    case .exact(let date, let digits):
      guard digits > 6 else { return nil }
      text = date.text
      return (.longFraction, "\(digits) digits of a fraction; some readers take six at most")
    case .loose(let date):
      text = date.text
      return (.badDate, "\"\(original)\" is not a date of RFC 3339 with a zone")
    case nil:
      text = nil
      return (.badDate, "\"\(original)\" is not a date")
    }
  }
}
