internal import TapelineHAR
internal import TapelineBase

/// `all(…)`, `any(…)` and `none(…)`.
struct QuantifierCheck: StatementCheck {
  private let quantifier: AssertionStatement.Quantifier
  private let condition: QueryExpression
  private let population: QueryExpression?
  private var count = 0
  private var matching = 0
  /// Exchanges of which the log does not say what the condition asks.
  private var unknown = 0
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
    guard quantifier == .any || condition.isDecided(for: entry) else {
      unknown += 1
      offenders.add(entry, number: number) { [ComparisonCheck.unknownTime] }
      return
    }
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
    guard unknown == 0 else {
      let message = "the log does not say how long \(unknown) of \(exchanges) took"
      return AssertionFinding(.broken, message, population: count, offenders: offenders)
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

  private var exchanges: String { Count.text(count, "exchange") }

  private static func share(_ count: Int, of all: String) -> String {
    "\(count == 0 ? "none" : String(count)) of \(all) \(count > 1 ? "do" : "does")"
  }
}

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
      ? "nothing that \(baselineName) does not have, in \(Count.text(count, "exchange"))"
      : "\(new.count) \(noun) that \(baselineName) does not have"
    return AssertionFinding(new.isEmpty ? .held : .broken, message, population: count, offenders: offenders)
  }
}

/// The facts of exchanges that a rule can call new: `new hosts <= baseline.har`.
enum DistinctFact: String, CaseIterable, Sendable {
  case hosts
  /// With their host, and with varying parts folded.
  case paths
  case methods
  case status
  case types
  case errors

  /// The singular, for messages.
  fileprivate var singular: String {
    switch self {
    case .hosts: "host"
    case .paths: "path"
    case .methods: "method"
    case .status: "status"
    case .types: "type"
    case .errors: "error"
    }
  }

  /// The plural, for messages.
  fileprivate var plural: String {
    switch self {
    case .status: "statuses"
    case .hosts, .paths, .methods, .types, .errors: rawValue
    }
  }

  /// The fact's value in this exchange; `nil` when it has none.
  func value(in entry: HAREntry) -> String? {
    switch self {
    case .hosts: RequestURL(entry.request.url)?.host ?? entry.request.url
    case .paths: URLTemplate(entry.request.url).withoutQuery
    case .methods: entry.request.method
    case .status: entry.response.status <= 0 ? nil : String(entry.response.status)
    case .types: mediaType(entry.response.content.mimeType)
    // Without the details of the particular exchange, if the log separates them.
    case .errors: RecordedFailure(entry).map { $0.facts ?? $0.message }
    }
  }

  private func mediaType(_ text: String) -> String? {
    let type = text.prefix { $0 != ";" && $0 != " " }.lowercased()
    return type.isEmpty || type == "x-unknown" ? nil : type
  }
}
