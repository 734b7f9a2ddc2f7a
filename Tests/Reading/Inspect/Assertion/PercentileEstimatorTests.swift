import Testing

@testable import TapelineInspect

@Suite("Percentile estimator")
struct PercentileEstimatorTests {
  private static func estimator(_ values: some Sequence<Double>) -> PercentileEstimator {
    var estimator = PercentileEstimator()
    for value in values { estimator.add(value) }
    return estimator
  }

  @Test("Few values: the nearest rank, exactly")
  func exact() {
    #expect(Self.estimator([]).percentile(50) == nil)
    #expect(Self.estimator([7.25]).percentile(99) == 7.25)
    let values = Self.estimator([15, 20, 35, 40, 50].reversed())
    #expect([5.0, 30, 40, 50, 100].map { values.percentile($0) } == [15, 20, 20, 35, 50])
    #expect(Self.estimator([-2.5, 3]).percentile(50) == -2.5)
  }

  @Test("Many values: within a thousandth, whatever their order and size")
  func many() throws {
    let count = PercentileEstimator.exactLimit * 4
    for scale in [0.001, 1, 1_000, 1e9] {
      let values = Self.estimator((1...count).map { Double($0 * 7_919 % (count + 1)) * scale + scale })
      for percent in [1.0, 50, 95, 99.9] {
        let found = try #require(values.percentile(percent))
        let expected = percent / 100 * Double(count) * scale
        // The resolution is that of a log: a thousandth of a millisecond.
        #expect(abs(found - expected) <= expected / 1_000 + scale * 2 + 0.001, "\(percent) of \(scale)")
      }
    }
  }

  @Test("A day of nonsense costs no memory and does not trap")
  func nonsense() {
    let values = Self.estimator((0...PercentileEstimator.exactLimit).map { _ in 1e300 } + [-5])
    #expect(values.percentile(50) == 1e15)
  }
}
