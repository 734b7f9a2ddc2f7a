/// Something that a reader of a comparison should know, with what it is of.
package struct Finding: Sendable {
  package enum Kind: String, Sendable {
    /// A larger share of a request's exchanges failed, by more than chance.
    case moreErrors
    case slower
    /// The slow exchanges of a request became slower, the typical ones did not.
    case slowerTail
    /// Errors that a request did not have, which chance may explain.
    case newErrors
    case changedStatus
    case faster
  }

  package let kind: Kind
  /// `nil` for all requests together.
  package let request: RequestName?
  /// In a sentence.
  package let text: String
}

extension Difference {
  /// The worst first.
  package var findings: [Finding] {
    let certain = certainErrors
    let fresh = newErrors.filter { error in !certain.contains { $0.request == error.request } }
    let changed = requests.filter { request in
      request.outcomes.contains { !$0.after.isError } && !certain.contains { $0.request == request.request }
    }
    let slower = requests(.slower)
    return certain + slower.filter { $0.verdict.typicalDirection != nil }.map { timeFinding($0, .slower) }
      + wholeFinding(.slower)
      + slower.filter { $0.verdict.typicalDirection == nil }.map { timeFinding($0, .slowerTail) }
      + fresh.map { error in
        let count = after.requests[error.request]?.count ?? error.count
        return Finding(
          kind: .newErrors, request: error.request,
          text: "New errors: \(error.request.text) \(error.outcome.text) in \(error.count) of \(count), which may be chance")
      }
      + changed.map { request in
        let change = request.outcomes.first { !$0.after.isError } ?? request.outcomes[0]
        return Finding(
          kind: .changedStatus, request: request.request,
          text: "Changed status: \(request.request.text) \(change.before.text) → \(change.after.text) ×\(change.count)")
      }
      + requests(.faster).map { timeFinding($0, .faster) } + wholeFinding(.faster)
  }

  /// The worst finding in one sentence, and how many others there are.
  package var headline: String {
    let findings = findings
    if let worst = findings.first { return findings.count == 1 ? worst.text : "\(worst.text), and \(findings.count - 1) more" }
    if requests.isEmpty { return "No request is in both captures" }
    let isTestable = requests.contains { $0.verdict.isTestable } || judgement.whole?.isTestable == true
    return isTestable
      ? "No change of any request that is more than chance" : "Too few exchanges of each request to tell a change from chance"
  }

  private func timeFinding(_ request: RequestDifference, _ kind: Finding.Kind) -> Finding {
    let phases = request.leadingPhases.prefix(2).map { "\($0.part.name) \(ChangeText.duration($0.difference))" }
    let text = ["\(request.request.text) \(request.changeText)"] + phases
    let title = kind == .slowerTail ? "Slower at its slow end" : kind == .faster ? "Faster" : "Slower"
    return Finding(kind: kind, request: request.request, text: "\(title): \(text.joined(separator: ", "))")
  }

  /// All requests together, if no single one has the finding.
  private func wholeFinding(_ direction: Direction) -> [Finding] {
    guard let whole = judgement.whole, whole.typicalDirection == direction, let typical = whole.typical,
      !requests.contains(where: { $0.verdict.typicalDirection == direction })
    else { return [] }
    let title = direction == .slower ? "Slower" : "Faster"
    return [
      Finding(
        kind: direction == .slower ? .slower : .faster, request: nil,
        text: "\(title): all requests together, each compared with itself, \(typical.sentence)")
    ]
  }

  /// Requests whose share of errors rose by more than chance, by Fisher's exact test; those with the most errors first.
  private var certainErrors: [Finding] {
    let chances = requests.map { request in
      let counts = (before: request.before.count, after: request.after.count)
      let errors = request.before.errorCount + request.after.errorCount
      let chance = { (found: Int) in
        ChanceProbability.marked(atLeast: found, of: counts.after, marked: errors, among: counts.before + counts.after)
      }
      return errors == 0
        ? nil : Chance(probability: chance(request.after.errorCount), least: chance(min(errors, counts.after)))
    }
    let areFindings = ComparisonFamily(chances, share: TimeJudgement.errorShare).areFindings
    return zip(requests, areFindings).filter(\.1).map(\.0)
      .sorted { ($1.after.errorCount, $0.after.firstNumber) < ($0.after.errorCount, $1.after.firstNumber) }
      .map { request in
        let (before, after) = (request.before, request.after)
        let outcomes = after.rankedOutcomes.filter(\.outcome.isError).prefix(2).map { "\($0.outcome.text) ×\($0.count)" }
        return Finding(
          kind: .moreErrors, request: request.request,
          text:
            "More errors: \(request.request.text) \(before.errorCount) of \(before.count) → \(after.errorCount) of \(after.count) (\(outcomes.joined(separator: ", ")))"
        )
      }
  }
}

extension RequestProfile {
  fileprivate var errorCount: Int { outcomes.reduce(0) { $0 + ($1.key.isError ? $1.value : 0) } }
}

extension RequestDifference {
  /// `typically +98 % (95 % interval +90 % … +107 %), p50 9.51ms → 18.8ms`, or of the slow end.
  var changeText: String {
    if verdict.typicalDirection != nil, let typical = verdict.typical, let median = change(of: .total, percent: 50) {
      return "\(typical.sentence), p50 \(median.figures)"
    }
    guard verdict.tailDirection != nil, let tail = verdict.tail, let upper = change(of: .total, percent: 95) else { return "" }
    return
      "p95 \(upper.figures): \(tail.afterBeyond) of \(tail.afterCount) took longer than \(DurationText.compact(tail.bound)), before \(tail.beforeBeyond) of \(tail.beforeCount)"
  }
}

extension TypicalChange {
  /// `typically +98 % (95 % interval +90 % … +107 %)`
  var sentence: String {
    let interval = interval
    let range = "\(ChangeText.percent(interval.lower)) … \(ChangeText.percent(interval.upper))"
    return "typically \(ChangeText.percent((factor - 1) * 100)) (95 % interval \(range))"
  }
}
