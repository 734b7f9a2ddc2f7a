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
