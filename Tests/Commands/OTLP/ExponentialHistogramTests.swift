import TapelineBase
import TapelineSystem
import Testing

@testable import TapelineOTLP

/// The rules are those of OpenTelemetry's Metrics Data Model, "ExponentialHistogram".
struct ExponentialHistogramTests {
  /// The bounds of a bucket, by its place among the counts.
  private func bounds(_ place: Int, of histogram: ExponentialHistogram) -> (low: Double, high: Double) {
    let width = ElementaryFunctions.power(2, Double(-histogram.scale))
    let index = Double(histogram.offset + place)
    return (ElementaryFunctions.power(2, index * width), ElementaryFunctions.power(2, (index + 1) * width))
  }

  @Test(
    "Every value is in the bucket whose bounds are around it, however wide the values spread",
    arguments: [
      [0.001, 0.002, 0.004], [1, 1.000_001], [1e-9, 1e9], [0.25, 0.5, 1, 2, 4, 1_024], [3, 5, 7, 11, 13, 1e300, 1e-300],
      (1...5_000).map { Double($0) / 777 },
    ])
  func buckets(values: [Double]) {
    var histogram = ExponentialHistogram()
    for (number, value) in values.enumerated() {
      histogram.add(value)
      #expect(histogram.counts.count <= 161)
      #expect(histogram.counts.reduce(0, +) == UInt64(number + 1))
    }
    // Each bucket counts the values that lie within its bounds, give or take those at a rounded bound.
    for (place, count) in histogram.counts.enumerated() where count > 0 {
      let (low, high) = bounds(place, of: histogram)
      let within = values.count { $0 > low * (1 - 1e-9) && $0 <= high * (1 + 1e-9) }
      let strictlyWithin = values.count { $0 > low * (1 + 1e-9) && $0 <= high * (1 - 1e-9) }
      #expect(Int(count) <= within && Int(count) >= strictlyWithin, "\(low) to \(high)")
    }
    #expect(histogram.least == values.min() && histogram.largest == values.max())
    #expect(abs(histogram.sum - values.reduce(0, +)) <= 1e-9 * histogram.sum)
  }

  @Test("A power of two is the upper bound of its bucket, at every scale")
  func powers() {
    for spread in [1.5, 100, 1e6, 1e40, 1e200] {
      var histogram = ExponentialHistogram()
      histogram.add(1 / spread)
      histogram.add(spread)
      let before = histogram
      histogram.add(1)
      let place = histogram.counts.indices.first { place in
        let earlier = before.counts.indices.contains(place) && before.offset == histogram.offset ? before.counts[place] : 0
        return histogram.counts[place] > earlier
      }
      let high = place.map { bounds($0, of: histogram).high }
      #expect(histogram.scale == before.scale)
      #expect(high.map { $0 >= 1 } == true && place.map { bounds($0, of: histogram).low < 1 } == true, "\(spread)")
    }
  }

  @Test("Zero has a count of its own; what is no number is not counted")
  func zero() {
    var histogram = ExponentialHistogram()
    for value in [0, -1, .nan, .infinity, 2] { histogram.add(value) }
    #expect(histogram.count == 2)
    #expect(histogram.zeroCount == 1)
    #expect(histogram.counts == [1])
  }
}
