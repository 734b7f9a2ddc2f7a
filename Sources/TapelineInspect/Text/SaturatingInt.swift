/// Arithmetic on what a stranger's log says: numbers beyond all measure end at what an `Int` holds, and never end the program.
extension Int {
  /// The whole number nearest to `value` towards zero; 0 for what is no number.
  package init(saturating value: Double) {
    self = value.isNaN ? 0 : Int(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
  }

  package func addingSaturating(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}
