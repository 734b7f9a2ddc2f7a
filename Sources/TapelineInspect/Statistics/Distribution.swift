internal import Histogram

/// Durations with their frequencies: percentiles within a hundredth of the value, in little memory for any number of durations.
package struct Distribution: Sendable {
  /// In microseconds, the resolution of a log.
  private var histogram = Histogram<UInt32>(numberOfSignificantValueDigits: .two)
  package private(set) var sum = 0.0
  private var largest = 0.0

  /// A day: nothing in a capture is longer, and absurd values in a foreign log must not cost memory.
  private static let longest = 86_400_000.0

  package init() {}

  package mutating func add(_ milliseconds: Double) {
    guard milliseconds.isFinite, milliseconds >= 0 else { return }
    let bounded = min(milliseconds, Self.longest)
    histogram.record(UInt64((bounded * 1_000).rounded()))
    sum += bounded
    largest = max(largest, bounded)
  }

  package var count: Int { Int(histogram.totalCount) }

  package var mean: Double? {
    count == 0 ? nil : sum / Double(count)
  }

  package var maximum: Double? {
    count == 0 ? nil : largest
  }

  /// - Parameter percent: above 0, at most 100.
  /// - Returns: milliseconds; `nil` when nothing was added.
  package func percentile(_ percent: Double) -> Double? {
    // The histogram returns the top of the slot, which may be above every recorded value.
    count == 0 ? nil : min(Double(histogram.valueAtPercentile(percent)) / 1_000, largest)
  }
}
