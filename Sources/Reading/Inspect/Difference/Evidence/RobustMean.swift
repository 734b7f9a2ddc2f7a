/// Huber's mean (1964): values beyond 1.345 robust standard deviations count as if they were there, so that a few outliers do not
/// decide. For normal values it needs 5 % more values than the mean.
struct RobustMean: Sendable {
  let value: Double
  /// The variance of `value`, if the values are independent.
  let variance: Double
  /// The number of values within the bound, less one.
  let degrees: Double
  let serial: SerialCorrelation

  private static let bound = 1.345
  private static let steps = 30

  /// - Parameter values: in the order of time; at least four.
  init(_ values: [Double]) {
    precondition(values.count >= 4, "A mean of fewer than four values has no variance to speak of")
    let count = Double(values.count)
    var mean = Self.median(values)
    let scale = Self.scale(values, around: mean)
    guard scale > 0 else {
      (value, variance, degrees, serial) = (mean, 0, count - 1, SerialCorrelation())
      return
    }
    for _ in 0..<Self.steps {
      let bounded = Self.bounded(values, around: mean, scale)
      let step = scale * bounded.reduce(0, +) / count / max(0.2, Self.inner(bounded))
      mean += step
      if abs(step) < 1e-6 * scale { break }
    }
    let bounded = Self.bounded(values, around: mean, scale)
    let inner = max(0.2, Self.inner(bounded))
    // Huber's correction for few values (1973).
    let correction = 1 + (1 - inner) / (count * inner)
    let squares = bounded.reduce(0) { $0 + $1 * $1 } / (count - 1)
    value = mean
    variance = scale * scale * squares / (inner * inner) / count * correction * correction
    degrees = max(1, count * inner - 1)
    serial = SerialCorrelation(bounded)
  }

  private static func bounded(_ values: [Double], around mean: Double, _ scale: Double) -> [Double] {
    values.map { min(max(($0 - mean) / scale, -bound), bound) }
  }

  /// The share of values within the bound.
  private static func inner(_ bounded: [Double]) -> Double {
    Double(bounded.count { abs($0) < bound }) / Double(bounded.count)
  }

  /// The median distance, as the standard deviation of a normal variable; the mean distance, if most values are equal.
  private static func scale(_ values: [Double], around centre: Double) -> Double {
    let distances = values.map { abs($0 - centre) }
    let median = median(distances)
    return median > 0 ? 1.4826 * median : 1.2533 * distances.reduce(0, +) / Double(distances.count)
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}
