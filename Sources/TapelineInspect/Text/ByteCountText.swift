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
