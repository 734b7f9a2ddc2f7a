internal import TapelineHAR

/// What a rule says.
enum AssertionStatement: Sendable {
  case compares(AssertionMeasure, AssertionOrder, AssertionBound)
  case quantifies(Quantifier, QueryExpression, among: QueryExpression?)
  /// The capture shows no value of this that the baseline did not show.
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

/// What a measured number is held against.
enum AssertionBound: Hashable, Sendable {
  case number(Double)
  /// So many times what the same measure of the baseline says.
  case share(Double, baseline: String)
}
