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

/// Byte counts for people, in powers of 1024.
package enum ByteCountText {
  private static let units = ["", "K", "M", "G", "T", "P", "E"]

  /// In at most five characters: `0`, `999`, `1.2K`, `123K`, `1.0G`. `-` for an unknown count.
  package static func compact(_ count: Int?) -> String {
    guard let count, count >= 0 else { return "-" }
    let (value, unit) = scaled(count)
    if unit == 0 { return String(count) }
    return fixed(value, decimals: value < 9.95 ? 1 : 0) + units[unit]
  }

  /// With the unit spelled out: `999 B`, `1.2 KiB`.
  package static func long(_ count: Int) -> String {
    let (value, unit) = scaled(count)
    return unit == 0 ? "\(count) B" : fixed(value, decimals: 1) + " " + units[unit] + "iB"
  }

  /// `count` in the largest unit in which it has at most three digits before the point.
  private static func scaled(_ count: Int) -> (value: Double, unit: Int) {
    var value = Double(count)
    var unit = 0
    while value >= 999.5, unit < units.count - 1 {
      value /= 1_024
      unit += 1
    }
    return (value, unit)
  }
}

/// Arithmetic on numbers from a stranger's log: values out of range are clamped to those of `Int` and never end the program.
extension Int {
  /// `value` rounded towards zero; 0 for NaN.
  package init(saturating value: Double) {
    self = value.isNaN ? 0 : Int(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
  }

  package func addingSaturating(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}
