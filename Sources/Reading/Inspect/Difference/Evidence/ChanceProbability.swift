internal import TapelineBase
internal import TapelineSystem

/// Probabilities that chance alone makes a value as large as the observed one.
enum ChanceProbability {
  /// That a Student variable exceeds `t`, by Wallace's approximation (1959), which is at most too large.
  ///
  /// - Parameter degrees: of freedom, above 0.
  static func student(above t: Double, degrees: Double) -> Double {
    let size = (degrees * ElementaryFunctions.logarithm(1 + t * t / degrees)).squareRoot()
    let z = (8 * degrees + 1) / (8 * degrees + 3) * size
    let tail = ElementaryFunctions.complementaryError(z / 2.0.squareRoot()) / 2
    return t < 0 ? 1 - tail : tail
  }

  /// The factor of the standard error that gives a 95 % interval, by the expansion of Cornish and Fisher.
  static func studentFactor(degrees: Double) -> Double {
    let z = 1.959964
    let cube = z * z * z
    let first = (cube + z) / (4 * degrees)
    return z + first + (5 * cube * z * z + 16 * cube + 3 * z) / (96 * degrees * degrees)
  }

  /// That of `drawn` balls at least `found` are marked, if `marked` of all `count` are (the hypergeometric distribution, which
  /// makes Fisher's exact test).
  static func marked(atLeast found: Int, of drawn: Int, marked: Int, among count: Int) -> Double {
    let most = min(drawn, marked)
    guard found <= most else { return 0 }
    let all = logarithmOfChoices(count, drawn)
    return (max(found, drawn + marked - count, 0)...most).reduce(0) { sum, share in
      let ways = logarithmOfChoices(marked, share) + logarithmOfChoices(count - marked, drawn - share)
      return sum + ElementaryFunctions.exponential(ways - all)
    }
  }

  /// The logarithm of the number of ways to choose `few` of `count`.
  static func logarithmOfChoices(_ count: Int, _ few: Int) -> Double {
    ElementaryFunctions.logarithmOfGamma(Double(count) + 1) - ElementaryFunctions.logarithmOfGamma(Double(few) + 1)
      - ElementaryFunctions.logarithmOfGamma(Double(count - few) + 1)
  }
}
