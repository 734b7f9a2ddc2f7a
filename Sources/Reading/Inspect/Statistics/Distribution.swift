internal import Histogram

/// Durations with their frequencies: percentiles within a hundredth of the value, in little memory for any number of durations.
package struct Distribution: Sendable {
  /// The first durations: a histogram of few takes a hundred times as much memory.
  private var few: [UInt64] = []
  /// In microseconds, the resolution of a log.
  private var histogram: Histogram<UInt32>?
  package private(set) var sum = 0.0
  private var largest = 0.0

  /// A day: nothing in a capture is longer, and absurd values in a foreign log must not cost memory.
  private static let longest = 86_400_000.0

  /// A second: hardly anything needs more room, and making room takes longer than counting.
  private static let usualMicroseconds: UInt64 = 1 << 20

  private static let fewLimit = 32

  package init() {}

  private static func histogram(of durations: [UInt64]) -> Histogram<UInt32> {
    var histogram = Histogram<UInt32>(highestTrackableValue: usualMicroseconds, numberOfSignificantValueDigits: .two)
    histogram.autoResize = true
    for duration in durations { histogram.record(duration) }
    return histogram
  }

  package mutating func add(_ milliseconds: Double) {
    add(CollectionOfOne(milliseconds))
  }

  /// Adds durations in their order; one that is not a number is left out.
  mutating func add(_ milliseconds: some Sequence<Double>) {
    // In variables of its own, the loop keeps them in registers.
    var (sum, largest) = (sum, largest)
    for duration in milliseconds where duration.isFinite && duration >= 0 {
      let bounded = min(duration, Self.longest)
      record(UInt64(bounded * 1_000 + 0.5))
      sum += bounded
      largest = max(largest, bounded)
    }
    self.sum = sum
    self.largest = largest
  }

  private mutating func record(_ microseconds: UInt64) {
    // A comparison with `nil` would copy the histogram.
    if case .some = histogram {
      histogram?.record(microseconds)
      return
    }
    few.append(microseconds)
    guard few.count >= Self.fewLimit else { return }
    histogram = Self.histogram(of: few)
    few = []
  }

  /// The durations of another distribution too.
  mutating func add(_ other: Distribution) {
    for duration in other.few { record(duration) }
    if let others = other.histogram {
      var joined = histogram ?? Self.histogram(of: few)
      few = []
      joined.add(others)
      histogram = joined
    }
    sum += other.sum
    largest = max(largest, other.largest)
  }

  package var count: Int { histogram.map { Int($0.totalCount) } ?? few.count }

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
    guard count > 0 else { return nil }
    return min(Double((histogram ?? Self.histogram(of: few)).valueAtPercentile(percent)) / 1_000, largest)
  }
}
