internal import Histogram

/// Percentiles of a stream of numbers: exact for the first few thousand, after that within a thousandth of the value, in
/// memory that does not grow.
struct PercentileEstimator: Sendable {
  /// All values, until there are too many.
  private var values: [Double] = []
  /// After that, in thousandths, which is the resolution of a log's milliseconds.
  private var histogram: Histogram<UInt32>?
  private var smallest = Double.infinity
  private var largest = -Double.infinity

  static let exactLimit = 8_192
  private static let scale = 1_000.0
  /// No measured value is larger, and absurd values in a foreign log must not cost memory.
  private static let ceiling = 1e15

  mutating func add(_ value: Double) {
    precondition(value.isFinite, "Only numbers have an order")
    smallest = min(smallest, value)
    largest = max(largest, value)
    if histogram == nil {
      values.append(value)
      if values.count > Self.exactLimit { spill() }
    } else {
      histogram?.record(Self.slot(of: value))
    }
  }

  private mutating func spill() {
    var histogram = Histogram<UInt32>(numberOfSignificantValueDigits: .three)
    for value in values { histogram.record(Self.slot(of: value)) }
    self.histogram = histogram
    values = []
  }

  private static func slot(of value: Double) -> UInt64 {
    UInt64((min(max(value, 0), ceiling) * scale).rounded())
  }

  /// The smallest value that `percent` % of all values do not exceed (nearest rank); `nil` when there are no values.
  func percentile(_ percent: Double) -> Double? {
    guard let histogram else {
      guard !values.isEmpty else { return nil }
      return values.sorted()[Self.rank(percent, of: values.count)]
    }
    // The histogram returns the top of the slot, which may be above every recorded value.
    return min(max(Double(histogram.valueAtPercentile(percent)) / Self.scale, smallest), largest)
  }

  /// The index of the percentile, from 0.
  static func rank(_ percent: Double, of count: Int) -> Int {
    min(max(Int(saturating: (percent / 100 * Double(count)).rounded(.up)), 1), count) - 1
  }
}
