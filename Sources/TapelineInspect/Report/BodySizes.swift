/// The number of bodies by size, to find where to cut them; its memory does not grow with their number.
struct BodySizes: Sendable, Hashable {
  private var counts = [Int](repeating: 0, count: bucketCount)
  private var sums = [Int](repeating: 0, count: bucketCount)
  private(set) var total = 0

  mutating func add(_ size: Int) {
    guard size > 0 else { return }
    let bucket = Self.bucket(of: size)
    counts[bucket] += 1
    sums[bucket] += size
    total += size
  }

  /// The largest size such that all bodies, cut to it, fit into `budget` bytes; `nil` if no body must be cut.
  func limit(within budget: Int) -> Int? {
    guard total > budget else { return nil }
    // All bodies above the limit shrink to it; those below stay. The kept bytes grow with the limit. The limit is in the first
    // bucket whose upper bound needs too many bytes: the bound before it still fits.
    var whole = 0
    var larger = counts.reduce(0, +)
    for bucket in counts.indices {
      whole += sums[bucket]
      larger -= counts[bucket]
      if whole + larger * Self.upperBound(of: bucket) > budget {
        return bucket == 0 ? 0 : Self.upperBound(of: bucket - 1)
      }
    }
    return nil
  }

  /// Small sizes have one bucket each; from 16 on, eight buckets cover the range up to the next power of two.
  private static let exactBuckets = 16
  /// No body of a log is larger; larger ones all count as this size.
  private static let largest = 1 << 40
  private static let bucketCount = exactBuckets + 37 * 8

  private static func bucket(of size: Int) -> Int {
    let size = min(size, largest)
    guard size >= exactBuckets else { return size }
    let exponent = Int.bitWidth - 1 - size.leadingZeroBitCount
    let eighth = (size >> (exponent - 3)) & 7
    return exactBuckets + (exponent - 4) * 8 + eighth
  }

  /// The largest size in a bucket.
  private static func upperBound(of bucket: Int) -> Int {
    guard bucket >= exactBuckets else { return bucket }
    let (exponent, eighth) = (bucket - exactBuckets).quotientAndRemainder(dividingBy: 8)
    return ((9 + eighth) << (exponent + 1)) - 1
  }
}
