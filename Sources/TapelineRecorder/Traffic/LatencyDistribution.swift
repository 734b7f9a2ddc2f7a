internal import Histogram

/// The distribution of exchange times, to two significant digits.
package struct LatencyDistribution: Sendable {
  private var histogram = Histogram<UInt32>(numberOfSignificantValueDigits: .two)
  /// The sum of all times, in microseconds.
  package private(set) var totalMicroseconds: UInt64 = 0

  mutating func record(microseconds: Int64) {
    let value = UInt64(max(0, microseconds))
    histogram.record(value)
    totalMicroseconds &+= value
  }

  package var count: UInt64 { histogram.totalCount }

  /// In microseconds; `nil` without exchanges.
  package func percentile(_ percentile: Double) -> Int64? {
    count > 0 ? Int64(histogram.valueAtPercentile(percentile)) : nil
  }

  /// How many exchanges took at most this long.
  package func count(upToMicroseconds bound: UInt64) -> UInt64 {
    histogram.count(within: 0...bound)
  }

  /// The recorded values, ascending. Subtract two readings of one distribution value by value to get the time between them.
  package var values: [(microseconds: UInt64, count: UInt32)] {
    histogram.recordedValues().map { ($0.value, $0.count) }
  }
}
