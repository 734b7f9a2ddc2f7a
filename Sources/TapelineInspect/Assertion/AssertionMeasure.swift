internal import TapelineHAR

/// A number that is computed from many exchanges.
enum AssertionMeasure: Sendable {
  case aggregate(Aggregate, of: QueryField, among: QueryExpression?)
  case count(QueryExpression?)
  case ratio(QueryExpression, among: QueryExpression?)

  enum Aggregate: Hashable, Sendable {
    case percentile(Double)
    case maximum
    case minimum
    case mean
    case sum

    /// The aggregate with this name in a rule: `p95`, `p99.9`, `max`; `nil` if there is no such aggregate.
    init?(name: String) {
      switch name {
      case "max": self = .maximum
      case "min": self = .minimum
      case "mean": self = .mean
      case "sum": self = .sum
      case let name:
        guard name.first == "p", let percent = Double(name.dropFirst()), percent > 0, percent <= 100 else { return nil }
        self = .percentile(percent)
      }
    }
  }

  /// The dimension of the measure's value.
  enum Dimension: Hashable, Sendable {
    case quantity(QueryQuantity.Dimension)
    /// 1 is everything.
    case share
    /// Any value in the log: a bound may have any unit.
    case any
  }

  var dimension: Dimension {
    switch self {
    case .count: .quantity(.plain)
    case .ratio: .share
    case .aggregate(_, let field, _): field.dimension
    }
  }

  var parts: HAREntryParts {
    switch self {
    case .count(let condition): condition?.parts ?? []
    case .ratio(let condition, let population): condition.parts.union(population?.parts ?? [])
    case .aggregate(_, let field, let population): field.parts.union(population?.parts ?? [])
    }
  }
}

extension QueryField {
  var dimension: AssertionMeasure.Dimension {
    switch kind {
    case .number(let dimension): .quantity(dimension)
    case .text, .date, .flag, .any: .any
    }
  }
}
