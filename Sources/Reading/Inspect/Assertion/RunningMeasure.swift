internal import Histogram
internal import TapelineHAR

/// A measure over the exchanges as they are read, in memory that does not grow with their number.
struct RunningMeasure: Sendable {
  private let measure: AssertionMeasure
  /// Exchanges that contributed to the measure.
  private(set) var population = 0
  /// Exchanges that would have contributed a time if they had not failed.
  private(set) var failures = 0
  /// The courses of exchanges whose times are measured.
  private let timed: Set<ExchangeCourse>
  private var matching = 0
  /// Exchanges whose contribution depends on a time that the log does not have.
  private(set) var unknown = 0
  private var bypassed = 0
  private var sum = 0.0
  private var smallest = Double.infinity
  private var largest = -Double.infinity
  private var percentiles = PercentileEstimator()

  /// The contribution of one exchange.
  enum Contribution: Hashable, Sendable {
    /// The exchange is not measured.
    case none
    /// For a count or a share: whether the exchange matches, or only belongs to those that could.
    case matching(Bool)
    /// One value, or several of a field that has several in one exchange: the largest is to blame.
    case value(Double)
    case values([Double])
    /// The exchange failed after this time, which is not that of an answer.
    case failure(Double)
    /// The exchange would be measured if its log said how long it took.
    case unknown
  }

  /// - Parameter filter: the condition of all exchanges that will come, which may ask for the times of others than answered
  ///   exchanges.
  init(_ measure: AssertionMeasure, filter: Query? = nil) {
    self.measure = measure
    let asked = measure.timedPopulation?.namedCourses ?? []
    timed = asked.union(filter?.expression.namedCourses ?? []).union([.answered])
  }

  /// - Parameter number: the place of the exchange in its file, from 1.
  mutating func add(_ entry: HAREntry, number: Int) -> Contribution {
    let contribution = measure.contribution(of: entry, number: number, timed: timed)
    switch contribution {
    case .none: break
    case .failure: failures += 1
    case .unknown: unknown += 1
    case .matching(let isMatching):
      population += 1
      if isMatching { matching += 1 }
    case .value(let value): add(value)
    case .values(let values): for value in values { add(value) }
    }
    return contribution
  }

  private mutating func add(_ value: Double) {
    population += 1
    sum += value
    smallest = min(smallest, value)
    largest = max(largest, value)
    if case .aggregate(.percentile, _, _) = measure { percentiles.add(value) }
  }

  /// A member of the log besides its exchanges.
  mutating func add(_ member: HARObject.Member) {
    bypassed += BypassedPrograms(member)?.count ?? 0
  }

  /// `nil` when there was nothing to measure; a count of nothing is 0.
  var value: Double? {
    switch measure {
    case .count: return Double(matching)
    case .bypassed: return Double(bypassed)
    case .ratio, .aggregate: break
    }
    guard population > 0 else { return nil }
    return switch measure {
    case .bypassed: Double(bypassed)
    case .count, .ratio: Double(matching) / Double(population)
    case .aggregate(.percentile(let percent), _, _): percentiles.percentile(percent)
    case .aggregate(.maximum, _, _): largest
    case .aggregate(.minimum, _, _): smallest
    case .aggregate(.mean, _, _): sum / Double(population)
    case .aggregate(.sum, _, _): sum
    }
  }
}

extension AssertionMeasure {
  /// The condition of the exchanges whose times are measured.
  fileprivate var timedPopulation: QueryExpression? {
    if case .aggregate(_, _, let population) = self { population } else { nil }
  }

  fileprivate func contribution(
    of entry: HAREntry, number: Int, timed: Set<ExchangeCourse>
  ) -> RunningMeasure.Contribution {
    switch self {
    case .bypassed:
      return .none
    case .count(let condition):
      guard condition?.isDecided(for: entry) ?? true else { return .unknown }
      return .matching(condition?.matches(entry, number: number) ?? true)
    case .ratio(let condition, let population):
      guard population?.matches(entry, number: number) ?? true else { return .none }
      guard condition.isDecided(for: entry) else { return .unknown }
      return .matching(condition.matches(entry, number: number))
    case .aggregate(_, let field, let population):
      let course = field.kind == .number(.duration) && !field.isOfEvents ? ExchangeCourse(entry) : .answered
      guard timed.contains(course) || course == .failed else { return .none }
      guard population?.matches(entry, number: number) ?? true else { return .none }
      guard field.isDecided(for: entry) else { return .unknown }
      let found = field.value(in: entry, number: number)
      if field.isOfEvents, case .several(let values) = found { return .values(values.compactMap(\.number)) }
      guard let value = found.number, value.isFinite else { return .none }
      return timed.contains(course) ? .value(value) : .failure(value)
    }
  }
}

extension QueryField {
  /// Whether it is a time of events, which are what they are however the stream ended.
  fileprivate var isOfEvents: Bool {
    if case .known(let field) = source { QueryField.Known.ofEvents.contains(field) } else { false }
  }

  /// Whether the field's value in the exchange is known. Every exchange took some time, but not every log says how much; other
  /// fields may be absent because the exchange has no such thing.
  func isDecided(for entry: HAREntry) -> Bool {
    switch source {
    case .known(.time), .known(.total): entry.duration != nil
    case .known, .named, .custom, .member, .serverTime: true
    }
  }
}

extension QueryExpression {
  /// Whether all is known of the exchange that the expression asks for. Of an unread tunnel, nobody asks how long it took.
  func isDecided(for entry: HAREntry) -> Bool {
    switch self {
    case .both(let left, let right), .either(let left, let right): left.isDecided(for: entry) && right.isDecided(for: entry)
    case .not(let inner): inner.isDecided(for: entry)
    case .holds(let field, _): field.isDecided(for: entry)
    case .compares(let comparison): comparison.left.isDecided(for: entry) && comparison.right.isDecided(for: entry)
    }
  }
}

/// Percentiles of a stream of numbers: exact for the first few thousand, after that within a thousandth of the value, in
/// memory that does not grow.
struct PercentileEstimator: Sendable {
  /// All values, until there are too many.
  private var values: [Double] = []
  /// After that, in thousandths, which is the resolution of a log's milliseconds.
  private var histogram: Histogram<UInt32>?
  private var smallest = Double.infinity
  private var largest = -Double.infinity

  static let exactLimit = 8_192
  private static let scale = 1_000.0
  /// No measured value is larger, and absurd values in a foreign log must not cost memory.
  private static let ceiling = 1e15

  mutating func add(_ value: Double) {
    precondition(value.isFinite, "Only numbers have an order")
    smallest = min(smallest, value)
    largest = max(largest, value)
    if histogram == nil {
      values.append(value)
      if values.count > Self.exactLimit { spill() }
    } else {
      histogram?.record(Self.slot(of: value))
    }
  }

  private mutating func spill() {
    var histogram = Histogram<UInt32>(numberOfSignificantValueDigits: .three)
    for value in values { histogram.record(Self.slot(of: value)) }
    self.histogram = histogram
    values = []
  }

  private static func slot(of value: Double) -> UInt64 {
    UInt64((min(max(value, 0), ceiling) * scale).rounded())
  }

  /// The smallest value that `percent` % of all values do not exceed (nearest rank); `nil` when there are no values.
  func percentile(_ percent: Double) -> Double? {
    guard let histogram else {
      guard !values.isEmpty else { return nil }
      return values.sorted()[Self.rank(percent, of: values.count)]
    }
    // The histogram returns the top of the slot, which may be above every recorded value.
    return min(max(Double(histogram.valueAtPercentile(percent)) / Self.scale, smallest), largest)
  }

  /// The index of the percentile, from 0.
  static func rank(_ percent: Double, of count: Int) -> Int {
    min(max(Int(saturating: (percent / 100 * Double(count)).rounded(.up)), 1), count) - 1
  }
}
