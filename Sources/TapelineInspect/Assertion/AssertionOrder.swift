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
