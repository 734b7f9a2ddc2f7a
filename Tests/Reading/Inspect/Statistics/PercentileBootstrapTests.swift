import TapelineBase
import Testing

@testable import TapelineInspect

@Suite("Percentile bootstrap")
struct PercentileBootstrapTests {
  /// How likely the median of eleven values, drawn again from eleven, is the j-th of them or a lower one: that at least six of
  /// the draws fall on the first j. This is exact (Efron, 1979), so the draws must agree with it.
  @Test("Samples drawn again are distributed as they must be")
  func distribution() {
    let sample = (1...11).map(Double.init)
    var bootstrap = PercentileBootstrap(percent: 50, naming: "test")
    var counts = [Int](repeating: 0, count: 12)
    let draws = 40_000
    for _ in 0..<draws { counts[Int(bootstrap.draw(sample))] += 1 }
    var cumulated = 0
    for j in 1...11 {
      cumulated += counts[j]
      let expected = (6...11).reduce(0.0) { $0 + Self.binomial($1, of: 11, at: Double(j) / 11) }
      let deviation = (expected * (1 - expected) / Double(draws)).squareRoot()
      #expect(abs(Double(cumulated) / Double(draws) - expected) <= 4 * deviation + 1e-9, "up to \(j)")
    }
  }

  private static func binomial(_ k: Int, of n: Int, at p: Double) -> Double {
    var probability = 1.0
    for index in 0..<k { probability *= Double(n - index) / Double(k - index) * p }
    for _ in k..<n { probability *= 1 - p }
    return probability
  }

  /// The same as drawing every value again and sorting.
  @Test("The interval is that of the plain bootstrap", arguments: [50.0, 95])
  func plain(percent: Double) throws {
    var generator = SeededGenerator(seed: 3)
    let before = (0..<60).map { _ in generator.uniform() * 100 }.sorted()
    let after = (0..<80).map { _ in generator.uniform() * 120 + 5 }.sorted()
    var bootstrap = PercentileBootstrap(percent: percent, naming: "plain")
    let found = bootstrap.changes(before: before, after: after)?.interval(level: 0.95)
    let interval = try #require(found)
    let resampled: ([Double]) -> Double = { sample in
      let again = (0..<sample.count).map { _ in sample[Int.random(in: 0..<sample.count, using: &generator)] }.sorted()
      return again[PercentileEstimator.rank(percent, of: again.count)]
    }
    let changes = (0..<4_000).map { _ in resampled(after) - resampled(before) }.sorted()
    let width = changes[3_899] - changes[99]
    #expect(abs(interval.lower - changes[99]) < width / 8)
    #expect(abs(interval.upper - changes[3_899]) < width / 8)
  }

  @Test("A shift is found, no change is none, and the same draws come in every run")
  func decisions() throws {
    let before = (1...100).map(Double.init)
    var bootstrap = PercentileBootstrap(percent: 50, naming: "a")
    let found = bootstrap.changes(before: before, after: before.map { $0 + 100 })?.interval(level: 0.95)
    let shifted = try #require(found)
    // A median of a hundred has a standard error of five here, a difference one of seven.
    #expect((82...90).contains(shifted.lower))
    #expect((110...118).contains(shifted.upper))
    #expect(shifted.excludesZero)
    var second = PercentileBootstrap(percent: 50, naming: "a")
    let again = second.changes(before: before, after: before.map { $0 + 100 })?.interval(level: 0.95)
    #expect(again == shifted)
    let unchanged = second.changes(before: before, after: before)?.interval(level: 0.95)
    #expect(unchanged?.excludesZero == false)
    let constant = [Double](repeating: 5, count: 20)
    let none = second.changes(before: constant, after: constant)?.interval(level: 0.95)
    #expect(none == ConfidenceInterval(lower: 0, upper: 0))
  }

  @Test("Too few to tell", arguments: [(50.0, 10), (90, 20), (95, 40), (99, 200), (5, 40)])
  func few(percent: Double, minimum: Int) {
    #expect(PercentileBootstrap.minimumCount(percent: percent) == minimum)
    var bootstrap = PercentileBootstrap(percent: percent, naming: "a")
    let enough = (0..<minimum).map(Double.init)
    let tooFew = bootstrap.changes(before: enough, after: Array(enough.dropLast()))
    #expect(tooFew == nil)
    let sufficient = bootstrap.changes(before: enough, after: enough)
    #expect(sufficient != nil)
  }
}
