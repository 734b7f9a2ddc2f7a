/// Durations for people. Values are in milliseconds, as in HAR.
package enum DurationText {
  /// In at most six characters, with a unit: `0.41ms`, `12.3ms`, `1.23s`, `12m03s`, `31h08m`.
  package static func compact(_ milliseconds: Double) -> String {
    guard milliseconds.isFinite, milliseconds >= 0 else { return "-" }
    if milliseconds < 9.995 { return fixed(milliseconds, decimals: 2) + "ms" }
    if milliseconds < 99.95 { return fixed(milliseconds, decimals: 1) + "ms" }
    if milliseconds < 999.5 { return fixed(milliseconds, decimals: 0) + "ms" }
    let seconds = milliseconds / 1_000
    if seconds < 9.995 { return fixed(seconds, decimals: 2) + "s" }
    if seconds < 59.95 { return fixed(seconds, decimals: 1) + "s" }
    guard seconds < 359_999 else { return ">99h" }
    let whole = Int(saturating: seconds.rounded())
    if whole < 3_600 { return "\(whole / 60)m\(twoDigits(whole % 60))s" }
    return "\(whole / 3_600)h\(twoDigits(whole / 60 % 60))m"
  }

  /// With three decimals, the precision of the log: `12.345 ms`.
  package static func exact(_ milliseconds: Double) -> String {
    guard milliseconds.isFinite, milliseconds.magnitude < 1e15 else { return "-" }
    return fixed(milliseconds, decimals: 3) + " ms"
  }

  private static func twoDigits(_ value: Int) -> String {
    (value < 10 ? "0" : "") + String(value)
  }
}

/// `value` with exactly `decimals` decimals and a point in every locale.
func fixed(_ value: Double, decimals: Int) -> String {
  precondition((0...3).contains(decimals), "A figure has no, one, two or three decimals")
  let scales = [1.0, 10.0, 100.0, 1_000.0]
  let scaled = Int(saturating: (value * scales[decimals]).rounded())
  let digits = String(scaled.magnitude)
  let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
  let sign = scaled < 0 ? "-" : ""
  return decimals == 0 ? sign + padded : sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
}
