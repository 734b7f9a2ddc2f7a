internal import TapelineHAR

/// `new hosts <= baseline.har`: nothing that the baseline did not have.
struct NoveltyCheck: StatementCheck {
  private let fact: DistinctFact
  private let population: QueryExpression?
  private let known: Set<String>
  private let baselineName: String
  private var count = 0
  /// Each new value is blamed on the first exchange that shows it.
  private var new: Set<String> = []
  private var offenders: OffenderList

  init(
    _ fact: DistinctFact, among population: QueryExpression?, known: Set<String>, baselineName: String, naming limit: Int
  ) {
    self.fact = fact
    self.population = population
    self.known = known
    self.baselineName = baselineName
    offenders = OffenderList(limit: limit)
  }

  mutating func add(_ entry: HAREntry, number: Int) {
    guard population?.matches(entry, number: number) ?? true else { return }
    count += 1
    guard let value = fact.value(in: entry), !known.contains(value), new.insert(value).inserted else { return }
    offenders.add(entry, number: number) { [Offender.Fact(name: "new \(fact.singular)", text: value.elided(to: 200))] }
  }

  var finding: AssertionFinding {
    guard count > 0 else {
      return AssertionFinding(.nothingToJudge, "no exchange to judge", population: 0, offenders: offenders)
    }
    let noun = new.count == 1 ? fact.singular : fact.plural
    let message =
      new.isEmpty
      ? "nothing that \(baselineName) does not have, in \(MeasureText.exchanges(count))"
      : "\(new.count) \(noun) that \(baselineName) does not have"
    return AssertionFinding(new.isEmpty ? .held : .broken, message, population: count, offenders: offenders)
  }
}
