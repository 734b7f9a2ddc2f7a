internal import TapelineBase
internal import TapelineSystem

/// By which factor the typical time of a request has changed, and how probably chance alone made it.
///
/// The times are compared as logarithms, since noise is a share of a time. If both captures have equally many exchanges of the
/// request, the first is compared with the first, the second with the second, and so on: whatever differs from call to call in
/// the same way in both captures cancels out.
package struct TypicalChange: Sendable {
  /// The logarithm of after / before.
  private let change: Double
  private let mean: (variance: Double, degrees: Double)
  /// The smallest probability that so few exchanges can give, whatever the times.
  private let least: Double
  /// The variance of `change` between two runs of the same program, and by the resolution of the times.
  private let floor: Double
  private let length: Double
  let serial: SerialCorrelation
  private var inflation = 1.0

  /// Two runs of the same program differ by about this share, however often a request is repeated.
  private static let differenceOfRuns = 0.005
  /// In milliseconds: a mark is true to this.
  private static let resolution = 0.02
  private static let leastCount = 4

  /// `nil` if there are too few times.
  init?(of request: TimePair) {
    let pairs = request.isPaired ? OrderedSample.pairs(request.before, request.after) : []
    let counts = (before: request.before.elements.count, after: request.after.elements.count)
    if pairs.count >= Self.leastCount, pairs.count * 5 >= max(counts.before, counts.after) * 4 {
      self.init(pairs: pairs)
    } else {
      guard min(counts.before, counts.after) >= Self.leastCount else { return nil }
      self.init(before: request.before.inOrder, after: request.after.inOrder)
    }
  }

  /// Compares times without counterparts: at least four on each side, in the order of time.
  private init(before: [Double], after: [Double]) {
    let left = RobustMean(before.map(Self.logarithm))
    let right = RobustMean(after.map(Self.logarithm))
    let variance = left.variance + right.variance
    // Welch's degrees of freedom (1947).
    let weights = left.variance * left.variance / left.degrees + right.variance * right.variance / right.degrees
    change = right.value - left.value
    mean = (variance, weights > 0 ? variance * variance / weights : Double(min(before.count, after.count) - 1))
    least = ElementaryFunctions.exponential(
      -ChanceProbability.logarithmOfChoices(before.count + after.count, before.count))
    floor = Self.floor(before)
    serial = left.serial + right.serial
    length = Double(before.count + after.count) / 2
  }

  /// - Parameter pairs: at least four, in the order of time.
  init(pairs: [(before: Double, after: Double)]) {
    let differences = RobustMean(pairs.map { Self.logarithm($0.after) - Self.logarithm($0.before) })
    change = differences.value
    mean = (differences.variance, differences.degrees)
    least = ElementaryFunctions.power(0.5, Double(pairs.count))
    floor = Self.floor(pairs.map(\.before))
    serial = differences.serial
    length = Double(pairs.count)
  }

  private static func logarithm(_ milliseconds: Double) -> Double {
    ElementaryFunctions.logarithm(max(milliseconds, 0.001))
  }

  private static func floor(_ times: [Double]) -> Double {
    let typical = max(times.sorted()[times.count / 2], 0.001)
    let ofMarks = resolution / typical
    return differenceOfRuns * differenceOfRuns + ofMarks * ofMarks
  }

  /// With the variance that slow moments of the whole run add.
  func corrected(among all: SerialCorrelation) -> TypicalChange {
    var corrected = self
    corrected.inflation = serial.inflation(among: all, length: length)
    return corrected
  }

  private var standardError: Double { (mean.variance * inflation + floor).squareRoot() }
  private var degrees: Double { max(1, (mean.degrees + 1) / inflation - 1) }

  /// After / before.
  package var factor: Double { ElementaryFunctions.exponential(change) }

  /// In percent, the 95 % interval of the change.
  package var interval: ConfidenceInterval {
    let margin = ChanceProbability.studentFactor(degrees: degrees) * standardError
    func percent(_ logarithm: Double) -> Double { (ElementaryFunctions.exponential(min(logarithm, 20)) - 1) * 100 }
    return ConfidenceInterval(lower: percent(change - margin), upper: percent(change + margin))
  }

  /// The probability that times without a change differ so much in this direction.
  func chance(_ direction: Difference.Direction) -> Chance {
    let signed =
      switch direction {
      case .slower: change
      case .faster: -change
      }
    return Chance(
      probability: max(least, ChanceProbability.student(above: signed / standardError, degrees: degrees)), least: least)
  }
}
