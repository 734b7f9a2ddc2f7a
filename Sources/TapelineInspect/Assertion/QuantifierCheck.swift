internal import TapelineHAR

/// `all(…)`, `any(…)` and `none(…)`.
struct QuantifierCheck: StatementCheck {
  private let quantifier: AssertionStatement.Quantifier
  private let condition: QueryExpression
  private let population: QueryExpression?
  private var count = 0
  private var matching = 0
  private var offenders: OffenderList

  init(
    _ quantifier: AssertionStatement.Quantifier, _ condition: QueryExpression, among population: QueryExpression?,
    naming limit: Int
  ) {
    self.quantifier = quantifier
    self.condition = condition
    self.population = population
    offenders = OffenderList(limit: limit)
  }

  mutating func add(_ entry: HAREntry, number: Int) {
    guard population?.matches(entry, number: number) ?? true else { return }
    count += 1
    let isMatching = condition.matches(entry, number: number)
    if isMatching { matching += 1 }
    let isToBlame =
      switch quantifier {
      case .all: !isMatching
      case .none: isMatching
      // If a match is missing, no exchange is to blame.
      case .any: false
      }
    guard isToBlame else { return }
    offenders.add(entry, number: number) { condition.facts(of: entry, number: number) }
  }

  var finding: AssertionFinding {
    guard count > 0 else {
      return AssertionFinding(.nothingToJudge, "no exchange to judge", population: 0, offenders: offenders)
    }
    let (holds, message): (Bool, String) =
      switch quantifier {
      case .all where matching == count: (true, count == 1 ? "the only exchange does" : "all of \(exchanges) do")
      case .all: (false, Self.share(count - matching, of: exchanges) + " not")
      case .any: (matching > 0, Self.share(matching, of: exchanges))
      case .none: (matching == 0, Self.share(matching, of: exchanges))
      }
    return AssertionFinding(holds ? .held : .broken, message, population: count, offenders: offenders)
  }

  private var exchanges: String { MeasureText.exchanges(count) }

  private static func share(_ count: Int, of all: String) -> String {
    "\(count == 0 ? "none" : String(count)) of \(all) \(count > 1 ? "do" : "does")"
  }
}
