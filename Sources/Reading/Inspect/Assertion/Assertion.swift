package import TapelineHAR

/// A rule that a capture must keep, as people write it: `p95(wait, host ~ "api") < 200ms`. `docs/assert.md` has the language.
package struct Assertion: Sendable {
  /// The position of a rule in a file of rules.
  package struct Origin: Hashable, Sendable {
    package let file: String
    /// From 1.
    package let line: Int
  }

  package let text: String
  package let origin: Origin?
  let statement: AssertionStatement
  /// If no exchange matches, the rule is skipped and does not fail.
  let isOptional: Bool

  package init(_ text: String, origin: Origin? = nil) throws(QueryError) {
    self.text = text
    self.origin = origin
    (statement, isOptional) = try AssertionParser.parse(text)
  }

  /// The parts of an entry that the rule needs, in the capture and in the baseline.
  package var parts: HAREntryParts { statement.parts }

  /// The capture to compare with, as the rule names it.
  package var baseline: String? { statement.baseline }
}

/// The statement of a rule.
enum AssertionStatement: Sendable {
  case compares(AssertionMeasure, AssertionOrder, AssertionBound)
  case quantifies(Quantifier, QueryExpression, among: QueryExpression?)
  /// The capture shows no value of this fact that the baseline did not show.
  case nothingNew(DistinctFact, among: QueryExpression?, baseline: String)

  enum Quantifier: String, CaseIterable, Sendable {
    case all
    case any
    case none
  }

  var parts: HAREntryParts {
    switch self {
    case .compares(let measure, _, _): measure.parts
    case .quantifies(_, let condition, let population): condition.parts.union(population?.parts ?? [])
    case .nothingNew(_, let population, _): population?.parts ?? []
    }
  }

  var baseline: String? {
    switch self {
    case .compares(_, _, .number), .quantifies: nil
    case .compares(_, _, .share(_, let baseline)), .nothingNew(_, _, let baseline): baseline
    }
  }
}

/// The bound of a measured number.
enum AssertionBound: Hashable, Sendable {
  case number(Double)
  /// This multiple of the baseline's value of the same measure.
  case share(Double, baseline: String)
}

/// How a measured number must compare with its bound.
enum AssertionOrder: Hashable, Sendable {
  case equal
  case notEqual
  case less
  case lessOrEqual
  case greater
  case greaterOrEqual

  /// `nil` for comparisons of texts.
  init?(_ comparison: QueryComparison) {
    switch comparison {
    case .equal: self = .equal
    case .notEqual: self = .notEqual
    case .less: self = .less
    case .lessOrEqual: self = .lessOrEqual
    case .greater: self = .greater
    case .greaterOrEqual: self = .greaterOrEqual
    case .matching, .notMatching: return nil
    }
  }

  func holds(_ measured: Double, _ bound: Double) -> Bool {
    switch self {
    case .equal: measured == bound
    case .notEqual: measured != bound
    case .less: measured < bound
    case .lessOrEqual: measured <= bound
    case .greater: measured > bound
    case .greaterOrEqual: measured >= bound
    }
  }

  /// The values to blame first: the bound is a ceiling, a floor, or neither.
  var blames: OffenderList.Ranking {
    switch self {
    case .less, .lessOrEqual: .largest
    case .greater, .greaterOrEqual: .smallest
    case .equal, .notEqual: .first
    }
  }
}

/// How many exchanges a capture must hold, apart from the rules: a capture without the traffic passes every rule about failures.
package struct AssertionFloor: Hashable, Sendable {
  /// Exchanges that the rules applied to.
  let found: Int
  let required: Int
  let isFiltered: Bool

  /// - Parameter isFiltered: whether only exchanges that a filter chose were counted.
  package init(found: Int, required: Int, isFiltered: Bool) {
    self.found = found
    self.required = required
    self.isFiltered = isFiltered
  }

  var isMet: Bool { found >= required }

  /// The option that sets the floor.
  var text: String { "--min-exchanges \(required)" }

  /// The finding in one line.
  var message: String {
    let exchanges = (found == 1 ? "exchange" : "exchanges") + (isFiltered ? " that --filter chooses" : "")
    guard found > 0 else { return "no \(exchanges): nothing was checked; --allow-empty permits that" }
    return "\(found) \(exchanges): \(required - found) too few"
  }
}
