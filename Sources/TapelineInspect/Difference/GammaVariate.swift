internal import TapelineSystem

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
