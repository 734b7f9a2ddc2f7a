internal import TapelineHAR

/// A number that is computed from many exchanges.
enum AssertionMeasure: Sendable {
  case aggregate(Aggregate, of: QueryField, among: QueryExpression?)
  case count(QueryExpression?)
  case ratio(QueryExpression, among: QueryExpression?)
  /// Connections past the proxy, of which the log says only that there were some.
  case bypassed

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
    case .count, .bypassed: .quantity(.plain)
    case .ratio: .share
    case .aggregate(_, let field, _): field.dimension
    }
  }

  /// The word for what has a value: exchanges, but for a field that has several values in one.
  var counted: String {
    if case .aggregate(_, let field, _) = self, field.source == .known(.eventGap) { "gap" } else { "exchange" }
  }

  var parts: HAREntryParts {
    switch self {
    case .count(let condition): condition?.parts ?? []
    case .bypassed: []
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

/// Measured numbers for people: as exact as the log, so that a number and a bound that differ also look different.
enum MeasureText {
  static func text(_ value: Double, _ dimension: AssertionMeasure.Dimension) -> String {
    switch dimension {
    case .quantity(.duration): duration(value)
    case .quantity(.size): size(value)
    case .quantity(.plain), .any: trimmed(value)
    case .share: trimmed(value * 100) + " %"
    }
  }

  /// By how much `measured` misses `bound`: `112.4ms (56 %) too much`, `3 too many`.
  static func excess(_ measured: Double, over bound: Double, _ dimension: AssertionMeasure.Dimension) -> String {
    let difference = abs(measured - bound)
    guard difference > 0 else { return "exactly the bound" }
    let isMore = measured > bound
    switch dimension {
    case .share: return "\(trimmed(difference * 100)) points too \(isMore ? "much" : "little")"
    case .quantity(.plain): return "\(trimmed(difference)) too \(isMore ? "many" : "few")"
    case .quantity(.duration): return "\(duration(difference))\(share(difference, of: bound)) too \(isMore ? "much" : "little")"
    case .quantity(.size):
      let amount = ByteCountText.long(Int(saturating: min(difference, 1e15)))
      return "\(amount)\(share(difference, of: bound)) too \(isMore ? "much" : "little")"
    case .any: return "\(trimmed(difference))\(share(difference, of: bound)) too \(isMore ? "much" : "little")"
    }
  }

  /// ` (56 %)`; empty if the bound is 0.
  private static func share(_ difference: Double, of bound: Double) -> String {
    guard bound != 0 else { return "" }
    let percent = difference / abs(bound) * 100
    return " (\(percent < 1_000 ? trimmed(percent, decimals: percent < 10 ? 1 : 0) : ">1000") %)"
  }

  private static func duration(_ milliseconds: Double) -> String {
    abs(milliseconds) < 10_000 ? trimmed(milliseconds) + "ms" : trimmed(milliseconds / 1_000) + "s"
  }

  /// In bytes, so that different sizes look different, and with a unit if there are many.
  private static func size(_ bytes: Double) -> String {
    guard abs(bytes) < 1e15 else { return trimmed(bytes) + " B" }
    let exact = trimmed(bytes) + " B"
    return abs(bytes) < 10_000 ? exact : "\(ByteCountText.long(Int(saturating: bytes))) (\(exact))"
  }

  /// Without trailing zeros, and with at most three decimals by default.
  static func trimmed(_ value: Double, decimals: Int = 3) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return value.description }
    var text = fixed(value, decimals: decimals)
    guard text.contains(".") else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text == "-0" ? "0" : text
  }
}
