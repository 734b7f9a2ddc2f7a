package import TapelineHAR

/// The figures of `stats` for a capture: fed with one exchange after the other, in memory that does not grow with their number.
package struct CaptureStatistics: Sendable {
  package struct Failure: Sendable, Hashable {
    /// The side at fault, the error and the phase, as far as the log has them; or the status of an error response.
    package let description: String
  }

  /// How often something occurred, and where it occurred first.
  package struct Occurrences: Sendable, Hashable {
    package fileprivate(set) var count = 0
    /// The place of the exchange in its file, from 1.
    package let first: Int
  }

  package private(set) var all = GroupStatistics()
  package private(set) var tunnels = 0
  package private(set) var groups: [String: GroupStatistics] = [:]
  /// All groups beyond the limit, together.
  package private(set) var others: GroupStatistics?
  package private(set) var slowest: SlowestExchanges
  package private(set) var failures: [Failure: Occurrences] = [:]
  /// Responses with a status of 400 or above.
  package private(set) var errorStatuses: [Failure: Occurrences] = [:]
  /// Exchanges that opened a connection, and exchanges that reused one.
  package private(set) var newConnections = 0
  package private(set) var reusedConnections = 0
  package private(set) var overheadOnRequests = Distribution()
  package private(set) var overheadOnResponses = Distribution()
  private var phases = [Distribution](repeating: Distribution(), count: Phase.allCases.count)
  private let grouping: StatisticsGrouping

  private static let groupLimit = 1_000
  private static let failureLimit = 200

  /// The parts of an entry that the statistics need: nothing large.
  package static func parts(_ grouping: StatisticsGrouping) -> HAREntryParts {
    switch grouping {
    case .page: [.custom, .pageTitle]
    case .trace: [.custom, .fields]
    case .host, .path, .status, .method, .connection, .version: .custom
    }
  }

  /// - Parameter slowest: how many of the slowest exchanges to keep.
  package init(grouping: StatisticsGrouping, slowest: Int = 10) {
    self.grouping = grouping
    self.slowest = SlowestExchanges(limit: slowest)
  }

  /// The times of the exchanges in one phase.
  package subscript(phase: Phase) -> Distribution { phases[phase.rawValue] }

  /// - Parameter number: the place of the exchange in its file, from 1.
  package mutating func add(_ entry: HAREntry, number: Int) {
    guard !entry.request.asksForTunnel || entry.custom["_tunnel"] == nil else {
      // The lifetime of a tunnel says nothing about how fast anything was.
      tunnels += 1
      return
    }
    all.add(entry)
    countGroup(of: entry)
    slowest.add(entry, number: number)
    countFailure(of: entry, number: number)
    let durations = PhaseDurations(entry)
    for phase in Phase.allCases {
      if let duration = durations[phase] { phases[phase.rawValue].add(duration) }
    }
    if durations[.connect] != nil {
      newConnections += 1
    } else if entry.response.status != 0 {
      reusedConnections += 1
    }
    if let overhead = entry.custom["_overhead"] {
      if let request = overhead["request"]?.double { overheadOnRequests.add(request) }
      if let response = overhead["response"]?.double { overheadOnResponses.add(response) }
    }
  }

  private mutating func countGroup(of entry: HAREntry) {
    let key = grouping.key(of: entry)
    if groups[key] != nil || groups.count < Self.groupLimit {
      groups[key, default: GroupStatistics()].add(entry)
    } else {
      var rest = others ?? GroupStatistics()
      rest.add(entry)
      others = rest
    }
  }

  private mutating func countFailure(of entry: HAREntry, number: Int) {
    let status = entry.response.status
    if status >= 400 {
      let words = [String(status), entry.response.statusText].filter { !$0.isEmpty }
      Self.count(Failure(description: words.joined(separator: " ")), number: number, in: &errorStatuses)
    }
    guard let failure = RecordedFailure(entry) else { return }
    Self.count(Failure(description: failure.facts ?? failure.message), number: number, in: &failures)
  }

  private static func count(_ failure: Failure, number: Int, in table: inout [Failure: Occurrences]) {
    let isKnown = table[failure] != nil || table.count < failureLimit
    table[isKnown ? failure : Failure(description: "other"), default: Occurrences(first: number)].count += 1
  }

  /// The groups with the most total time first; equal ones by name.
  package var rankedGroups: [(name: String, statistics: GroupStatistics)] {
    groups.map { (name: $0.key, statistics: $0.value) }.sorted { left, right in
      (right.statistics.total.sum, left.name) < (left.statistics.total.sum, right.name)
    }
  }

  /// The failures, most frequent first.
  package var rankedFailures: [(failure: Failure, occurrences: Occurrences)] { Self.ranked(failures) }

  /// The statuses of 400 or above, most frequent first.
  package var rankedErrorStatuses: [(failure: Failure, occurrences: Occurrences)] { Self.ranked(errorStatuses) }

  private static func ranked(_ table: [Failure: Occurrences]) -> [(failure: Failure, occurrences: Occurrences)] {
    table.map { (failure: $0.key, occurrences: $0.value) }.sorted { left, right in
      (right.occurrences.count, left.failure.description) < (left.occurrences.count, right.failure.description)
    }
  }
}

/// The few exchanges that took longest.
package struct SlowestExchanges: Sendable {
  package struct Exchange: Sendable, Hashable {
    /// The place in the file, from 1.
    package let number: Int
    package let method: String
    package let url: String
    package let status: Int
    /// The status as in tables: `200`, `200!`, `ERR`, `END`.
    package let outcome: String
    /// In milliseconds, without the client's own part.
    package let total: Double
    package let longest: Phase
    package let longestDuration: Double
  }

  /// Longest first.
  package private(set) var exchanges: [Exchange] = []
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  mutating func add(_ entry: HAREntry, number: Int) {
    let total = entry.total
    if exchanges.count >= limit {
      guard let last = exchanges.last, total > last.total else { return }
      exchanges.removeLast()
    }
    // TLS is a part of connecting, and is named if it is the larger part.
    let longest = PhaseDurations(entry).withoutClient.longest ?? (phase: .wait, milliseconds: 0)
    let exchange = Exchange(
      number: number, method: entry.request.method, url: entry.request.url, status: entry.response.status,
      outcome: ExchangeCell.outcome(of: entry), total: total, longest: longest.phase, longestDuration: longest.milliseconds)
    let index = exchanges.firstIndex { $0.total < total } ?? exchanges.endIndex
    exchanges.insert(exchange, at: index)
  }
}
