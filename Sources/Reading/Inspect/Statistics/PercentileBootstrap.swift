internal import TapelineBase
internal import TapelineSystem

/// The interval that probably contains a change.
package struct ConfidenceInterval: Hashable, Sendable {
  package let lower: Double
  package let upper: Double

  /// The change is larger than chance would explain for two samples like these.
  package var excludesZero: Bool { lower > 0 || upper < 0 }
}

/// The certainty of a percentile change, by the bootstrap: both samples are drawn again, with replacement, and the change is
/// computed again, a thousand times; the interval holds the middle 95 % (Efron and Tibshirani, 1993, chapter 13).
///
/// Only one order statistic of a redrawn sample is needed, and it can be drawn alone: the k-th of n uniform numbers is
/// Beta(k, n + 1 − k) distributed. The unit interval has n equal parts, one for each element of the sorted sample, and the part
/// that contains the number selects the element. So the work does not depend on the size of the samples.
struct PercentileBootstrap {
  private let percent: Double
  private var generator: SeededGenerator

  static let repetitions = 1_000

  /// - Parameters:
  ///   - percent: above 0, below 100.
  ///   - name: the same name gives the same sequence of draws.
  init(percent: Double, naming name: String) {
    precondition(percent > 0 && percent < 100, "A percentile lies between 0 and 100")
    self.percent = percent
    generator = SeededGenerator(naming: "\(name) p\(percent)".utf8)
  }

  /// The number of values needed on each side: ten, and enough that two are beyond the percentile.
  static func minimumCount(percent: Double) -> Int {
    let beyond = min(percent, 100 - percent) / 100
    return max(10, Int((2 / beyond).rounded(.up)))
  }

  /// Possible values of `after` − `before`; `nil` when one of the samples has too few values to tell.
  ///
  /// - Parameters: samples in ascending order.
  mutating func changes(before: [Double], after: [Double]) -> BootstrapDistribution? {
    let minimum = Self.minimumCount(percent: percent)
    guard before.count >= minimum, after.count >= minimum else { return nil }
    return BootstrapDistribution((0..<Self.repetitions).map { _ in draw(after) - draw(before) })
  }

  /// The percentile of a redrawn sample.
  mutating func draw(_ sample: [Double]) -> Double {
    let k = PercentileEstimator.rank(percent, of: sample.count) + 1
    let position = generator.beta(Double(k), Double(sample.count + 1 - k))
    return sample[min(max(0, Int(saturating: position * Double(sample.count))), sample.count - 1)]
  }
}

/// The changes between redrawn samples.
struct BootstrapDistribution: Sendable {
  /// In ascending order.
  private let changes: [Double]

  init(_ changes: [Double]) {
    self.changes = changes.sorted()
  }

  /// The middle part of the changes, with this share of all.
  func interval(level: Double) -> ConfidenceInterval {
    let tail = (1 - level) / 2 * 100
    return ConfidenceInterval(
      lower: changes[PercentileEstimator.rank(tail, of: changes.count)],
      upper: changes[PercentileEstimator.rank(100 - tail, of: changes.count)])
  }
}

extension SeededGenerator {
  /// Gamma distributed with scale 1 (Marsaglia and Tsang, 2000).
  ///
  /// - Parameter shape: at least 1.
  mutating func gamma(shape: Double) -> Double {
    precondition(shape >= 1, "The method is for shapes from 1 on")
    let d = shape - 1.0 / 3
    let c = 1 / (9 * d).squareRoot()
    while true {
      let x = normal()
      let v = (1 + c * x) * (1 + c * x) * (1 + c * x)
      guard v > 0 else { continue }
      let bound = x * x / 2 + d - d * v + d * ElementaryFunctions.logarithm(v)
      if ElementaryFunctions.logarithm(uniform()) < bound { return d * v }
    }
  }

  /// Standard normal (Box and Muller, 1958); uses only one value of the pair.
  private mutating func normal() -> Double {
    (-2 * ElementaryFunctions.logarithm(uniform())).squareRoot() * ElementaryFunctions.cosine(2 * .pi * uniform())
  }

  /// Beta distributed, as are the order statistics of uniform numbers.
  mutating func beta(_ a: Double, _ b: Double) -> Double {
    let left = gamma(shape: a)
    return left / (left + gamma(shape: b))
  }
}
