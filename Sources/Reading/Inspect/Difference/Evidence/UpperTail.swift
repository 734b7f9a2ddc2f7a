internal import TapelineSystem

/// The slow exchanges of a request: how many on each side took longer than a bound that few of all exceed. It finds that every
/// tenth call has become slow, which leaves the typical time as it was.
package struct UpperTail: Sendable {
  /// In milliseconds.
  package let bound: Double
  package let beforeBeyond: Int
  package let afterBeyond: Int
  package let beforeCount: Int
  package let afterCount: Int
  let serial: SerialCorrelation
  private var inflation = 1.0

  /// Each side must have this many times.
  static let leastCount = 20

  /// The bound is exceeded by a twentieth of all times, and by a fifth if those are fewer than twenty times.
  init?(before: OrderedSample, after: OrderedSample) {
    let sides = (before.inOrder, after.inOrder)
    guard min(sides.0.count, sides.1.count) >= Self.leastCount else { return nil }
    let all = (sides.0 + sides.1).sorted()
    let beyond = max(all.count / 20, min(20, all.count / 5))
    let bound = all[all.count - beyond - 1]
    self.bound = bound
    beforeCount = sides.0.count
    afterCount = sides.1.count
    beforeBeyond = sides.0.count { $0 > bound }
    afterBeyond = sides.1.count { $0 > bound }
    serial = SerialCorrelation(sides.0.map { $0 > bound ? 1 : 0 }) + SerialCorrelation(sides.1.map { $0 > bound ? 1 : 0 })
  }

  /// With the variance that slow moments of the whole run add.
  func corrected(among all: SerialCorrelation) -> UpperTail {
    var corrected = self
    corrected.inflation = serial.inflation(among: all, length: Double(beforeCount + afterCount) / 2)
    return corrected
  }

  var direction: Difference.Direction { afterBeyond * beforeCount > beforeBeyond * afterCount ? .slower : .faster }

  /// The probability that the slow ones are shared out so unequally by chance, in either direction. Neighbours that are slow
  /// together count as fewer.
  var chance: Chance {
    func fewer(_ count: Int) -> Int { Int(saturating: (Double(count) / inflation).rounded(.down)) }
    let (found, drawn) = direction == .slower ? (afterBeyond, afterCount) : (beforeBeyond, beforeCount)
    let beyond = beforeBeyond + afterBeyond
    let tail = { (found: Int, drawn: Int, beyond: Int, count: Int) in
      min(1, 2 * ChanceProbability.marked(atLeast: found, of: drawn, marked: beyond, among: count))
    }
    return Chance(
      probability: tail(fewer(found), fewer(drawn), fewer(beyond), fewer(beforeCount + afterCount)),
      least: tail(min(drawn, beyond), drawn, beyond, beforeCount + afterCount))
  }
}
