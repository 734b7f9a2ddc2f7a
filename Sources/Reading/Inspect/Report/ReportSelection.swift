internal import TapelineHAR

/// The exchanges that stay in a report that cannot hold all: the failed ones and those with an error status, then the slowest.
/// The memory of the search does not grow with the number of exchanges.
struct ReportSelection: Sendable, Hashable {
  /// Those in this range of microseconds stay as long as there is room for them; quicker ones go, slower ones stay.
  private let last: ClosedRange<Int>
  private var room: Int

  mutating func takes(_ entry: HAREntry) -> Bool {
    let total = Self.microseconds(entry)
    guard !ExchangeOutcome(entry).isError, total <= last.upperBound else { return true }
    guard room > 0, last.contains(total) else { return false }
    room -= 1
    return true
  }

  /// How long a tunnel was open says nothing about how fast anything was.
  private static func microseconds(_ entry: HAREntry) -> Int {
    entry.isOpenTunnel ? 0 : max(0, Int(saturating: (entry.total ?? 0) * 1_000))
  }

  /// The bytes of exchanges by their rank.
  struct Survey: Sendable {
    private var errors = 0
    private var sums = [Int](repeating: 0, count: SizeBuckets.count)
    private var counts = [Int](repeating: 0, count: SizeBuckets.count)

    mutating func add(_ entry: HAREntry, bytes: Int) {
      if ExchangeOutcome(entry).isError {
        errors += bytes
      } else {
        let bucket = SizeBuckets.bucket(of: ReportSelection.microseconds(entry))
        sums[bucket] += bytes
        counts[bucket] += 1
      }
    }

    /// The exchanges to keep within `budget` bytes; `nil` for all.
    func selection(within budget: Int) -> ReportSelection? {
      var bytes = errors + sums.reduce(0, +)
      guard bytes > budget else { return nil }
      // Sizes are estimated, and the end of the file must have its share.
      let budget = budget - budget / 32
      for bucket in sums.indices where sums[bucket] > 0 {
        bytes -= sums[bucket]
        guard bytes <= budget else { continue }
        let room = counts[bucket] * (budget - bytes) / sums[bucket]
        return ReportSelection(last: SizeBuckets.range(of: bucket), room: room)
      }
      return ReportSelection(last: 0...Int.max, room: 0)
    }
  }
}

/// Ranges of numbers from 0 on: one for each small number; from 16 on, eight up to the next power of two.
enum SizeBuckets {
  private static let exact = 16
  /// Larger numbers all count as this.
  private static let largest = 1 << 40
  static let count = exact + 37 * 8

  static func bucket(of number: Int) -> Int {
    let number = min(number, largest)
    guard number >= exact else { return number }
    let exponent = Int.bitWidth - 1 - number.leadingZeroBitCount
    let eighth = (number >> (exponent - 3)) & 7
    return exact + (exponent - 4) * 8 + eighth
  }

  static func range(of bucket: Int) -> ClosedRange<Int> {
    (bucket == 0 ? 0 : upperBound(of: bucket - 1) + 1)...upperBound(of: bucket)
  }

  /// The largest number in a bucket.
  static func upperBound(of bucket: Int) -> Int {
    guard bucket >= exact else { return bucket }
    let (exponent, eighth) = (bucket - exact).quotientAndRemainder(dividingBy: 8)
    return ((9 + eighth) << (exponent + 1)) - 1
  }
}
