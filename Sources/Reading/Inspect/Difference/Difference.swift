/// The changes from one capture to another.
package struct Difference: Sendable {
  package let before: CaptureProfile
  package let after: CaptureProfile
  /// The times of all exchanges together: they also change if the mixture of requests does.
  package let times: [TimeChange]
  /// The judgement of the total time of `requests`.
  let judgement: TimeJudgement
  /// Requests that both captures have, in the order of their first exchange in `after`.
  package let requests: [RequestDifference]
  /// Requests that only one capture has, in the order of their first exchange.
  package let added: [RequestProfile]
  package let removed: [RequestProfile]
  /// The fields that differ between counterparts, those that differ most often first.
  package let headers: [HeaderChange]
  /// Exchanges that had a counterpart but were too varied to be kept: `uncomparedAnswers` are missing from the comparison of
  /// status and redirects, `uncomparedHeads` from the comparison of headers.
  package let uncomparedAnswers: Int
  package let uncomparedHeads: Int

  package init(before: CaptureProfile, after: CaptureProfile) {
    self.before = before
    self.after = after
    times = TimeChange.all(before: before.times, after: after.times, naming: "")
    var headers = HeaderChanges(before: before.headers, after: after.headers)
    var requests: [RequestDifference] = []
    var uncomparedAnswers = 0
    var uncomparedHeads = 0
    let shared = Self.shared(before, after)
    judgement = TimeJudgement(shared.map { TimePair(.total, before: $0.before, after: $0.after) })
    for ((earlier, profile), verdict) in zip(shared, judgement.verdicts) {
      let answers = FactPairs(before: earlier.answers, after: profile.answers)
      let heads = FactPairs(before: earlier.heads, after: profile.heads)
      for pair in heads.pairs { headers.add(pair, of: profile.request) }
      uncomparedAnswers += answers.uncompared
      uncomparedHeads += heads.uncompared
      requests.append(
        RequestDifference(
          before: earlier, after: profile, verdict: verdict, pairs: answers, redirectsBefore: before.redirects,
          redirectsAfter: after.redirects))
    }
    self.requests = requests
    self.headers = headers.ranked
    self.uncomparedAnswers = uncomparedAnswers
    self.uncomparedHeads = uncomparedHeads
    added = Self.requests(of: after, missingIn: before)
    removed = Self.requests(of: before, missingIn: after)
  }

  /// The requests that both captures have, in the order of their first exchange in `after`.
  private static func shared(
    _ before: CaptureProfile, _ after: CaptureProfile
  ) -> [(before: RequestProfile, after: RequestProfile)] {
    after.requests.values.sorted { $0.firstNumber < $1.firstNumber }.compactMap { profile in
      before.requests[profile.request].map { ($0, profile) }
    }
  }

  /// The judgement of another time than the total.
  func judgement(of part: TimedPart) -> TimeJudgement {
    part == .total ? judgement : TimeJudgement(requests.map { TimePair(part, before: $0.before, after: $0.after) })
  }

  private static func requests(of profile: CaptureProfile, missingIn other: CaptureProfile) -> [RequestProfile] {
    profile.requests.values.filter { other.requests[$0.request] == nil }.sorted { $0.firstNumber < $1.firstNumber }
  }

  /// Error outcomes that their request did not have before, and all error outcomes of new requests.
  package var newErrors: [(request: RequestName, outcome: ExchangeOutcome, count: Int)] {
    after.requests.values.sorted { $0.firstNumber < $1.firstNumber }.flatMap { profile in
      let known = before.requests[profile.request]?.outcomes ?? [:]
      return profile.rankedOutcomes.filter { $0.outcome.isError && known[$0.outcome] == nil }
        .map { (request: profile.request, outcome: $0.outcome, count: $0.count) }
    }
  }

  package var newHosts: [String] { after.hosts.subtracting(before.hosts).sorted() }

  /// Requests with a time that changed by more than chance, those with the larger total change first.
  package func requests(_ direction: Direction) -> [RequestDifference] {
    requests.filter { $0.direction == direction }.sorted { left, right in
      (right.weight, left.after.firstNumber) < (left.weight, right.after.firstNumber)
    }
  }

  package enum Direction: Sendable {
    case slower
    case faster
  }
}

/// The changes of one request that both captures have.
package struct RequestDifference: Sendable {
  package let before: RequestProfile
  package let after: RequestProfile
  package let times: [TimeChange]
  /// The verdict on the total time.
  package let verdict: TimeVerdict
  package let outcomes: [ChangeCount<ExchangeOutcome>]
  package let redirects: [ChangeCount<String>]
  /// The versions of HTTP, where both logs have one.
  package let versions: [ChangeCount<String>]

  init(
    before: RequestProfile, after: RequestProfile, verdict: TimeVerdict, pairs: FactPairs<ComparedAnswer>,
    redirectsBefore: InternTable<String>, redirectsAfter: InternTable<String>
  ) {
    self.before = before
    self.after = after
    self.verdict = verdict
    times = TimeChange.all(before: before.times, after: after.times, naming: after.request.text)
    var outcomes = ChangeCounter<ExchangeOutcome>()
    var redirects = ChangeCounter<String>()
    var versions = ChangeCounter<String>()
    for pair in pairs.pairs {
      outcomes.add(pair, from: pair.before.outcome, to: pair.after.outcome)
      if let old = pair.before.redirect, let new = pair.after.redirect {
        redirects.add(pair, from: redirectsBefore[old], to: redirectsAfter[new])
      }
      if !pair.before.version.isEmpty, !pair.after.version.isEmpty {
        versions.add(pair, from: pair.before.version, to: pair.after.version)
      }
    }
    self.outcomes = outcomes.ranked
    self.redirects = redirects.ranked
    self.versions = versions.ranked
  }

  package var request: RequestName { after.request }

  /// A percentile of one of the times; `nil` when one side never had this time.
  func change(of part: TimedPart, percent: Double) -> TimeChange? {
    times.first { $0.part == part && $0.percent == percent }
      ?? TimeChange(
        part, percent: percent, before: before.times[part], after: after.times[part], naming: request.text)
  }

  /// The percentile of the total time that shows a change by more than chance.
  package var leadingChange: TimeChange? {
    guard direction != nil else { return nil }
    return change(of: .total, percent: verdict.typicalDirection == nil ? 95 : 50)
  }

  var direction: Difference.Direction? { verdict.direction }

  /// About the total time that all exchanges of the request gained or lost by the change.
  var weight: Double {
    let share = verdict.typicalDirection == nil ? 0.05 : 1
    return abs(leadingChange?.difference ?? 0) * Double(after.count) * share
  }

  /// The phases whose interval excludes no change, in the total's direction, at the same percentile; largest change first.
  package var leadingPhases: [TimeChange] {
    guard let leadingChange else { return [] }
    return times.filter { change in
      guard case .phase = change.part else { return false }
      return change.isSignificant && change.percent == leadingChange.percent
        && change.difference.sign == leadingChange.difference.sign
    }
    .sorted { abs($0.difference) > abs($1.difference) }
  }

  /// Whether body sizes have changed.
  package var hasOtherSizes: Bool {
    before.decoded.mean != after.decoded.mean || before.wire.mean != after.wire.mean
  }
}

extension Difference {
  /// Without the phases that took no time, which most logs have: rows of zeros say nothing.
  var notableTimes: [TimeChange] {
    let notable = Set(times.filter { max($0.before, $0.after) >= 0.005 }.map(\.part))
    return times.filter { $0.part == .total || notable.contains($0.part) }
  }

  /// Requests whose body sizes changed, those with the largest change in bytes first.
  var resized: [RequestDifference] {
    requests.filter(\.hasOtherSizes).sorted { left, right in
      (right.sizeWeight, left.after.firstNumber) < (left.sizeWeight, right.after.firstNumber)
    }
  }

  /// Remarks that a reader needs to understand the comparison.
  var remarks: [String] {
    var remarks: [String] = []
    if max(before.requests.count, after.requests.count) > 1 {
      remarks.append("pooled: over the exchanges of all requests, so that it also changes if the mixture of requests does")
    }
    if times.contains(where: { $0.interval == nil }) {
      let least = TimeChange.percents.map { "p\(MeasureText.trimmed($0)) \(PercentileBootstrap.minimumCount(percent: $0))" }
      remarks.append("too few: an interval needs more exchanges on both sides (\(least.joined(separator: ", ")))")
    }
    let sampled = max(before.exchanges, after.exchanges)
    if sampled > CaptureProfile.sampleLimit {
      remarks.append(
        "pooled percentiles are those of at most \(CaptureProfile.sampleLimit) exchanges drawn at random from each capture")
    }
    if before.overflow + after.overflow > 0 {
      remarks.append(
        "\(before.overflow + after.overflow) exchanges of requests beyond the first \(CaptureProfile.requestLimit) are not compared one by one"
      )
    }
    if uncomparedAnswers > 0 {
      remarks.append("of \(uncomparedAnswers) exchanges status and redirect vary too much to be compared one by one")
    }
    if uncomparedHeads > 0 {
      remarks.append(
        "of \(uncomparedHeads) exchanges the headers vary too much to be compared; --ignore-header leaves out the field that does"
      )
    }
    return remarks
  }
}

extension RequestDifference {
  fileprivate var sizeWeight: Double {
    let decoded = abs((after.decoded.mean ?? 0) - (before.decoded.mean ?? 0))
    let wire = abs((after.wire.mean ?? 0) - (before.wire.mean ?? 0))
    return max(decoded, wire) * Double(after.count)
  }

  /// `decoded 1.2 KiB → 5.6 KiB (+367 %), wire 500 B → 700 B (+40 %)`, only for the sizes that differ.
  var sizesText: String {
    [Self.text("decoded", before.decoded, after.decoded), Self.text("wire", before.wire, after.wire)].compactMap(\.self)
      .joined(separator: ", ")
  }

  private static func text(_ name: String, _ before: KnownSizes, _ after: KnownSizes) -> String? {
    guard before.mean != after.mean else { return nil }
    let share = before.mean.flatMap { old in after.mean.map { ChangeText.share(from: old, to: $0) } } ?? ""
    return "\(name) \(text(before.mean)) → \(text(after.mean))\(share)"
  }

  private static func text(_ mean: Double?) -> String {
    mean.map { ByteCountText.long(Int(saturating: $0.rounded())) } ?? "unknown"
  }
}
