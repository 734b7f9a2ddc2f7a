import TapelineBase
import Testing

@testable import TapelineInspect

@Suite("Gamma variate")
struct GammaVariateTests {
  private static func moments(_ draw: (inout SeededGenerator) -> Double) -> (mean: Double, variance: Double) {
    var generator = SeededGenerator(seed: 7)
    let values = (0..<40_000).map { _ in draw(&generator) }
    let mean = values.reduce(0, +) / Double(values.count)
    return (mean, values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count))
  }

  @Test("Mean and variance of gamma are its shape", arguments: [1, 2.5, 40, 1_000])
  func gamma(shape: Double) {
    let (mean, variance) = Self.moments { $0.gamma(shape: shape) }
    #expect(abs(mean - shape) < 0.02 * shape + 0.02)
    #expect(abs(variance - shape) < 0.06 * shape)
  }

  @Test("Mean and variance of beta", arguments: [(1, 1), (6, 6), (95, 6)])
  func beta(a: Double, b: Double) {
    let (mean, variance) = Self.moments { $0.beta(a, b) }
    let expected = a * b / ((a + b) * (a + b) * (a + b + 1))
    #expect(abs(mean - a / (a + b)) < 0.005)
    #expect(abs(variance - expected) < 0.06 * expected)
  }
}
