internal import TapelineBase

// A log may lack a time, or say null, −1 or nonsense. Such a time is not known, and an unknown time is not zero.

extension HAREntry {
  /// Milliseconds from the start of the exchange to its end: the log's `time`, else the sum of the phases; `nil` for neither.
  package var duration: Double? { timings.duration(logged: time) }
}

extension HARTimings {
  /// Milliseconds of an exchange whose log says that it took `time`; `nil` if they are not known.
  ///
  /// The phases count if `time` cannot be right: nothing took as much as the phases together in no time.
  package func duration(logged time: Double) -> Double? {
    let sum = sum
    if let time = time.asDuration, time > 0 || sum == 0 { return time }
    return sum > 0 ? sum : nil
  }

  /// The phases together; `connect` includes `ssl`.
  var sum: Double {
    let sum = Phase.ofHAR.reduce(0) { $1.isIncluded ? $0 : $0 + (self[$1]?.asDuration ?? 0) }
    // Sums of thousandths have three decimals; any further decimals were not measured.
    return (sum * 1e6).rounded() / 1e6
  }
}

extension Double {
  /// Three years in milliseconds: nothing in a log takes longer, but an instant, given instead of a duration, is above.
  private static let longestDuration = 1e11

  /// The number as a duration in milliseconds; `nil` for a number that no duration can be, as −1.
  package var asDuration: Double? { (0...Self.longestDuration).contains(self) ? self : nil }
}
