/// How much a value says of the next one. Slow moments last: ten slow exchanges in a row are less evidence than ten slow ones
/// that are spread over the run.
///
/// A single request has too few exchanges to measure it well. Its estimate is therefore drawn to that of all requests, which
/// share a machine.
struct SerialCorrelation: Hashable, Sendable {
  /// The correlation of neighbours (lag 1) times the number of values.
  private var weighted = 0.0
  private(set) var count = 0.0

  /// The number of values of its own that weigh as much as all requests together.
  private static let priorCount = 50.0
  private static let largest = 0.95

  init() {}

  /// - Parameter values: in the order of time, with a bounded range.
  init(_ values: [Double]) {
    let mean = values.reduce(0, +) / Double(max(1, values.count))
    let sum = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    guard values.count >= 4, sum > 0 else { return }
    let products = zip(values, values.dropFirst()).reduce(0) { $0 + ($1.0 - mean) * ($1.1 - mean) }
    weighted = products / sum * Double(values.count)
    count = Double(values.count)
  }

  static func + (left: SerialCorrelation, right: SerialCorrelation) -> SerialCorrelation {
    var sum = left
    sum.weighted += right.weighted
    sum.count += right.count
    return sum
  }

  /// The factor by which a mean of these values varies more than a mean of independent ones: (1 + ρ) / (1 − ρ), at least 1.
  ///
  /// - Parameters:
  ///   - all: of all requests.
  ///   - length: how many values were in a row; the estimate of few ones is too small by (1 + 3ρ) / length.
  func inflation(among all: SerialCorrelation, length: Double) -> Double {
    let shared = all.count > 0 ? all.weighted / all.count : 0
    let raw = (weighted + Self.priorCount * shared) / (count + Self.priorCount)
    let correlation = length > 6 ? (raw * length + 1) / (length - 3) : raw
    let bounded = min(max(0, correlation), Self.largest)
    return (1 + bounded) / (1 - bounded)
  }
}
