internal import Histogram

/// How long exchanges took, to two significant digits.
package struct LatencyDistribution: Sendable {
  private var histogram = Histogram<UInt32>(numberOfSignificantValueDigits: .two)
  /// The sum of all, in microseconds.
  package private(set) var totalMicroseconds: UInt64 = 0

  mutating func record(microseconds: Int64) {
    let value = UInt64(max(0, microseconds))
    histogram.record(value)
    totalMicroseconds &+= value
  }

  package var count: UInt64 { histogram.totalCount }

  /// In microseconds; `nil` without any.
  package func percentile(_ percentile: Double) -> Int64? {
    count > 0 ? Int64(histogram.valueAtPercentile(percentile)) : nil
  }

  /// How many took at most so long.
  package func count(upToMicroseconds bound: UInt64) -> UInt64 {
    histogram.count(within: 0...bound)
  }

  /// What was recorded, ascending. Two readings of one distribution can be subtracted value by value, which gives the time between.
  package var values: [(microseconds: UInt64, count: UInt32)] {
    histogram.recordedValues().map { ($0.value, $0.count) }
  }
}
