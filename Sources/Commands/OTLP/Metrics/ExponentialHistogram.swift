internal import TapelineBase
internal import TapelineSystem

/// How often values of each size occurred, in buckets whose bounds are powers of a base; the base grows when the values spread.
///
/// Source: OpenTelemetry, Metrics Data Model, "ExponentialHistogram". Bucket i holds the values in (base^i, base^(i+1)], with
/// base = 2^(2^-scale).
package struct ExponentialHistogram: Hashable, Sendable {
  /// The bucket of the first count.
  package private(set) var offset = 0
  package private(set) var counts: [UInt64] = []
  package private(set) var scale = largestScale
  package private(set) var zeroCount: UInt64 = 0
  package private(set) var count: UInt64 = 0
  package private(set) var sum = 0.0
  package private(set) var least = Double.infinity
  package private(set) var largest = -Double.infinity

  /// The specification's sizes.
  private static let largestScale = 20
  private static let sizeLimit = 160

  package init() {}

  /// - Parameter value: not negative; others are not counted.
  package mutating func add(_ value: Double) {
    guard value.isFinite, value >= 0 else { return }
    count += 1
    sum += value
    least = min(least, value)
    largest = max(largest, value)
    guard value >= .leastNormalMagnitude else {
      zeroCount += 1
      return
    }
    var index = bucket(of: value)
    let range = counts.isEmpty ? index...index : min(index, offset)...max(index, offset + counts.count - 1)
    let shift = Self.shift(toFit: range)
    if shift > 0 {
      coarsen(by: shift)
      index = bucket(of: value)
    }
    extend(to: index)
    counts[index - offset] += 1
  }

  /// By how much the scale must sink until so many buckets are few enough.
  private static func shift(toFit range: ClosedRange<Int>) -> Int {
    var (low, high, shift) = (range.lowerBound, range.upperBound, 0)
    while high - low >= sizeLimit { (low, high, shift) = (low >> 1, high >> 1, shift + 1) }
    return shift
  }

  /// Each 2^shift buckets become one.
  private mutating func coarsen(by shift: Int) {
    scale -= shift
    guard !counts.isEmpty else { return }
    let first = offset >> shift
    var merged = [UInt64](repeating: 0, count: ((offset + counts.count - 1) >> shift) - first + 1)
    for (place, count) in counts.enumerated() { merged[((offset + place) >> shift) - first] += count }
    (offset, counts) = (first, merged)
  }

  private mutating func extend(to index: Int) {
    if counts.isEmpty {
      (offset, counts) = (index, [0])
    } else if index < offset {
      counts.insert(contentsOf: repeatElement(0, count: offset - index), at: 0)
      offset = index
    } else if index >= offset + counts.count {
      counts.append(contentsOf: repeatElement(0, count: index - offset - counts.count + 1))
    }
  }

  /// For a normal value above 0.
  private func bucket(of value: Double) -> Int {
    // An exact power of two is the upper bound of its bucket, and its logarithm may be rounded to either side.
    let isPower = value.significand == 1
    if scale <= 0 || isPower {
      let exponent = Int(value.exponent)
      let upper = scale >= 0 ? exponent << scale : (exponent - (isPower ? 1 : 0)) >> -scale
      return scale > 0 || (scale == 0 && isPower) ? upper - 1 : upper
    }
    let logarithm = ElementaryFunctions.logarithm(value.significand) / ElementaryFunctions.logarithm(2)
    let place = (Double(value.exponent) + logarithm) * Double(1 << scale)
    return Int(place.rounded(.up)) - 1
  }
}
