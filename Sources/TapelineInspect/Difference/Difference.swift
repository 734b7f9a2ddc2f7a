/// The changes from one capture to another.
package struct Difference: Sendable {
  package let before: CaptureProfile
  package let after: CaptureProfile
  /// The times of all exchanges together.
  package let times: [TimeChange]
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
    for profile in after.requests.values.sorted(by: { $0.firstNumber < $1.firstNumber }) {
      guard let earlier = before.requests[profile.request] else { continue }
      let answers = FactPairs(before: earlier.answers, after: profile.answers)
      let heads = FactPairs(before: earlier.heads, after: profile.heads)
      for pair in heads.pairs { headers.add(pair, of: profile.request) }
      uncomparedAnswers += answers.uncompared
      uncomparedHeads += heads.uncompared
      requests.append(
        RequestDifference(
          before: earlier, after: profile, pairs: answers, redirectsBefore: before.redirects, redirectsAfter: after.redirects))
    }
    self.requests = requests
    self.headers = headers.ranked
    self.uncomparedAnswers = uncomparedAnswers
    self.uncomparedHeads = uncomparedHeads
    added = Self.requests(of: after, missingIn: before)
    removed = Self.requests(of: before, missingIn: after)
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
