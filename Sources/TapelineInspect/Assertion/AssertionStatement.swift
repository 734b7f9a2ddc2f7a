internal import TapelineHAR

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
