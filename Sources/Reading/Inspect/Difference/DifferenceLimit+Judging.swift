/// The result of a limit.
package struct LimitVerdict: Sendable, Hashable {
  package let limit: String
  package let isBroken: Bool
  /// The finding in one line.
  package let message: String
  /// The worst items that break the limit, one per line.
  package let details: [String]
}

extension DifferenceLimit {
  /// - Parameter count: how many requests, errors and so on to name.
  package func judge(_ difference: Difference, naming count: Int) -> LimitVerdict {
    switch condition {
    case .event(let event): verdict(on: event, in: difference, naming: count)
    case .growth(.percentile(let percent, let part), let growth, isPooled: false):
      verdict(onEach: percent, part, growth, in: difference, naming: count)
    case .growth(.percentile(let percent, let part), let growth, isPooled: true):
      verdict(onPooled: percent, part, growth, in: difference)
    case .growth(.amount(let amount), let growth, isPooled: _): verdict(on: amount, growth, in: difference)
    }
  }

  private func verdict(_ isBroken: Bool, _ message: String, _ details: [String] = []) -> LimitVerdict {
    LimitVerdict(limit: text, isBroken: isBroken, message: message, details: details)
  }

  // MARK: Percentiles

  /// The verdict on the exchanges of all requests together.
  private func verdict(
    onPooled percent: Double, _ part: TimedPart, _ growth: Growth, in difference: Difference
  ) -> LimitVerdict {
    let change = TimeChange(
      part, percent: percent, before: difference.before.times[part], after: difference.after.times[part], naming: "")
    guard let change else { return verdict(true, "one of the captures has no exchange with a \(part.name) time") }
    let sentence = "pooled \(change.sentence)"
    guard growth.isExceeded(from: change.before, to: change.after) else { return verdict(false, sentence) }
    if let interval = change.interval, !interval.excludesZero {
      return verdict(false, sentence + ": no more than chance makes")
    }
    return verdict(true, sentence)
  }

  /// Requests with too few exchanges to tell are judged together, each compared with itself. If even that is too little, the
  /// pooled figure decides.
  private func verdict(
    onEach percent: Double, _ part: TimedPart, _ growth: Growth, in difference: Difference, naming count: Int
  ) -> LimitVerdict {
    let judgement = difference.judgement(of: part)
    let judged = zip(difference.requests, judgement.verdicts).filter(\.1.isTestable)
    let whole = judgement.whole.flatMap { $0.isTestable ? $0 : nil }
    guard !judged.isEmpty || whole != nil && percent <= 75 else {
      return verdict(onPooled: percent, part, growth, in: difference)
    }
    let broken = judged.compactMap { request, verdict -> (request: RequestDifference, change: TimeChange)? in
      guard let change = request.change(of: part, percent: percent),
        verdict.directions(at: percent).contains(growth.direction),
        growth.isExceeded(from: change.before, to: change.after)
      else { return nil }
      return (request, change)
    }
    .sorted { abs($0.change.difference) > abs($1.change.difference) }
    var details = broken.map { "\($0.request.request.text): \($0.change.sentence)" }
    if broken.isEmpty, percent <= 75, let whole, whole.typicalDirection == growth.direction, let typical = whole.typical,
      growth.isExceeded(by: typical, from: difference.before.times[part])
    {
      details = ["all requests together, each compared with itself: \(typical.sentence)"]
    }
    let scope = "\(judged.count) of \(difference.requests.count) requests have enough exchanges to tell"
    return verdict(!details.isEmpty, "\(details.count) beyond it; \(scope)", details.shortened(to: count))
  }

  // MARK: Amounts

  private func verdict(on amount: Amount, _ growth: Growth, in difference: Difference) -> LimitVerdict {
    let before = amount.value(in: difference.before)
    let after = amount.value(in: difference.after)
    let isBroken = growth.isExceeded(from: before, to: after)
    return verdict(isBroken, "\(amount.text(before)) → \(amount.text(after))\(ChangeText.share(from: before, to: after))")
  }

  // MARK: Events

  private func verdict(on event: Event, in difference: Difference, naming count: Int) -> LimitVerdict {
    let found = event.occurrences(in: difference)
    return verdict(!found.isEmpty, found.isEmpty ? "none" : "\(found.count) found", found.shortened(to: count))
  }
}

extension DifferenceLimit.Growth {
  fileprivate func isExceeded(from before: Double, to after: Double) -> Bool {
    let allowed =
      switch self {
      case .percent(let percent): before * percent / 100
      case .amount(let amount): amount
      }
    return isFall ? after < before + allowed : after > before + allowed
  }

  /// Whether all exchanges exceed it by their typical change; an amount is compared with the change of their median.
  fileprivate func isExceeded(by typical: TypicalChange, from before: OrderedSample) -> Bool {
    let times = before.sorted
    guard !times.isEmpty else { return false }
    let median = times[PercentileEstimator.rank(50, of: times.count)]
    return isExceeded(from: median, to: median * typical.factor)
  }

  fileprivate var direction: Difference.Direction { isFall ? .faster : .slower }

  private var isFall: Bool {
    switch self {
    case .percent(let value), .amount(let value): value.sign == .minus
    }
  }
}

extension DifferenceLimit.Amount {
  fileprivate func value(in profile: CaptureProfile) -> Double {
    switch self {
    case .size: Double(profile.decoded.total)
    case .wire: Double(profile.wire.total)
    case .count: Double(profile.exchanges)
    case .errors: Double(profile.errorCount)
    }
  }

  fileprivate func text(_ value: Double) -> String {
    switch self {
    case .size, .wire: ByteCountText.long(Int(saturating: value))
    case .count: "\(Int(saturating: value)) exchanges"
    case .errors: "\(Int(saturating: value)) errors"
    }
  }
}

extension DifferenceLimit.Event {
  fileprivate func occurrences(in difference: Difference) -> [String] {
    switch self {
    case .newErrors: difference.newErrors.map { "\($0.request.text): \($0.outcome.text) ×\($0.count)" }
    case .newRequests: difference.added.map(\.request.text)
    case .newHosts: difference.newHosts
    case .removedRequests: difference.removed.map(\.request.text)
    case .changedStatus:
      difference.requests.flatMap { request in
        request.outcomes.map { "\(request.request.text): \($0.before.text) → \($0.after.text) ×\($0.count)" }
      }
    case .changedRedirects:
      difference.requests.flatMap { request in
        request.redirects.map { "\(request.request.text): \(ChangeText.target($0.before)) → \(ChangeText.target($0.after))" }
      }
    case .changedVersions:
      difference.requests.flatMap { request in
        request.versions.map { "\(request.request.text): \($0.before) → \($0.after) ×\($0.count)" }
      }
    case .changedHeaders: difference.headers.map { "\($0.side.rawValue) \($0.name): \($0.valuesText())" }
    }
  }
}

extension [String] {
  fileprivate func shortened(to count: Int) -> [String] {
    self.count <= count ? self : prefix(count) + ["… and \(self.count - count) more"]
  }
}
