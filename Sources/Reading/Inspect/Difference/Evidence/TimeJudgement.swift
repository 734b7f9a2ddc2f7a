/// The requests that became slower or faster in one of the times by more than chance. All requests of a comparison are judged
/// together: of a hundred comparisons without any change, at most five have a finding.
package struct TimeJudgement: Sendable {
  /// For each request, in the given order.
  let verdicts: [TimeVerdict]
  /// For all exchanges together, each compared with its counterpart of the same request; `nil` if there is only one request.
  let whole: TimeVerdict?

  /// The shares of comparisons without a change that may have a finding of each kind. Regressions have the largest, since they
  /// are the question.
  private static let slowerShare = 0.03
  private static let fasterShare = 0.008
  private static let tailShare = 0.008
  static let errorShare = 0.004

  /// - Parameter requests: their times in both captures.
  init(_ requests: [TimePair]) {
    let typical = requests.map(TypicalChange.init(of:))
    let tails = requests.map { UpperTail(before: $0.before, after: $0.after) }
    let serial = typical.reduce(SerialCorrelation()) { $0 + ($1?.serial ?? SerialCorrelation()) }
    let tailSerial = tails.reduce(SerialCorrelation()) { $0 + ($1?.serial ?? SerialCorrelation()) }
    let changes = typical.map { $0?.corrected(among: serial) } + [Self.whole(requests)?.corrected(among: serial)]
    let slower = ComparisonFamily(changes.map { $0?.chance(.slower) }, share: Self.slowerShare)
    let faster = ComparisonFamily(changes.map { $0?.chance(.faster) }, share: Self.fasterShare)
    let (areSlower, areFaster) = (slower.areFindings, faster.areFindings)
    func verdict(_ index: Int, _ tail: UpperTail?, isOtherTail: Bool) -> TimeVerdict {
      TimeVerdict(
        typical: changes[index], tail: tail, isSlower: areSlower[index], isFaster: areFaster[index], isOtherTail: isOtherTail,
        isTestable: slower.isTestable(index))
    }
    let corrected = tails.map { $0?.corrected(among: tailSerial) }
    let areOtherTails = ComparisonFamily(corrected.map { $0?.chance }, share: Self.tailShare).areFindings
    verdicts = requests.indices.map { verdict($0, corrected[$0], isOtherTail: areOtherTails[$0]) }
    whole = changes[requests.count] == nil ? nil : verdict(requests.count, nil, isOtherTail: false)
  }

  private static func whole(_ requests: [TimePair]) -> TypicalChange? {
    let pairs = requests.map { OrderedSample.pairs($0.before, $0.after) }.filter { !$0.isEmpty }
    let all = pairs.flatMap(\.self)
    return pairs.count > 1 && all.count >= 4 ? TypicalChange(pairs: all) : nil
  }
}

/// The times of one request in two captures.
struct TimePair: Sendable {
  let before: OrderedSample
  let after: OrderedSample
  /// Both captures have equally many exchanges of the request, so that each has a counterpart.
  let isPaired: Bool

  init(before: OrderedSample, after: OrderedSample, isPaired: Bool) {
    self.before = before
    self.after = after
    self.isPaired = isPaired
  }

  init(_ part: TimedPart, before: RequestProfile, after: RequestProfile) {
    self.init(before: before.times[part], after: after.times[part], isPaired: before.count == after.count)
  }
}

/// The judgement of one request.
package struct TimeVerdict: Sendable {
  /// `nil` with too few exchanges.
  package let typical: TypicalChange?
  let tail: UpperTail?
  fileprivate let isSlower: Bool
  fileprivate let isFaster: Bool
  fileprivate let isOtherTail: Bool
  /// Whether there are enough exchanges for the typical time to have a result.
  let isTestable: Bool

  /// How the typical time has changed, if by more than chance.
  var typicalDirection: Difference.Direction? { isSlower ? .slower : isFaster ? .faster : nil }

  /// How the slow exchanges have changed, if by more than chance.
  var tailDirection: Difference.Direction? { isOtherTail ? tail?.direction : nil }

  /// How the request has changed.
  var direction: Difference.Direction? { typicalDirection ?? tailDirection }

  /// How a percentile has changed: one above the third quartile also by the slow exchanges alone.
  func directions(at percent: Double) -> [Difference.Direction] {
    [typicalDirection, percent > 75 ? tailDirection : nil].compactMap(\.self)
  }
}
