/// The changes of one request that both captures have.
package struct RequestDifference: Sendable {
  package let before: RequestProfile
  package let after: RequestProfile
  package let times: [TimeChange]
  package let outcomes: [ChangeCount<ExchangeOutcome>]
  package let redirects: [ChangeCount<String>]

  init(
    before: RequestProfile, after: RequestProfile, pairs: FactPairs<ComparedAnswer>, redirectsBefore: InternTable<String>,
    redirectsAfter: InternTable<String>
  ) {
    self.before = before
    self.after = after
    times = TimeChange.all(before: before.times, after: after.times, naming: after.request.text)
    var outcomes = ChangeCounter<ExchangeOutcome>()
    var redirects = ChangeCounter<String>()
    for pair in pairs.pairs {
      outcomes.add(pair, from: pair.before.outcome, to: pair.after.outcome)
      if let old = pair.before.redirect, let new = pair.after.redirect {
        redirects.add(pair, from: redirectsBefore[old], to: redirectsAfter[new])
      }
    }
    self.outcomes = outcomes.ranked
    self.redirects = redirects.ranked
  }

  package var request: RequestName { after.request }

  /// A percentile of one of the times; `nil` when one side never had this time.
  func change(of part: TimedPart, percent: Double) -> TimeChange? {
    times.first { $0.part == part && $0.percent == percent }
      ?? TimeChange(
        part, percent: percent, before: before.times[part], after: after.times[part], naming: request.text)
  }

  /// The total time at the median, or else at the upper percentile, when it has changed by more than chance.
  package var leadingChange: TimeChange? {
    times.first { $0.part == .total && $0.isCertain }
  }

  var direction: Difference.Direction? {
    leadingChange.map { $0.difference > 0 ? .slower : .faster }
  }

  /// The total time that all exchanges of the request gained or lost by the change.
  var weight: Double { abs(leadingChange?.difference ?? 0) * Double(after.count) }

  /// The phases that changed in the total's direction, by more than chance, at the same percentile; largest change first.
  package var leadingPhases: [TimeChange] {
    guard let leadingChange else { return [] }
    return times.filter { change in
      change.part != .total && change.isCertain && change.percent == leadingChange.percent
        && change.difference.sign == leadingChange.difference.sign
    }
    .sorted { abs($0.difference) > abs($1.difference) }
  }

  /// Whether body sizes have changed.
  package var hasOtherSizes: Bool {
    before.decoded.mean != after.decoded.mean || before.wire.mean != after.wire.mean
  }
}
