package import TapelineBase
package import TapelineHAR

/// The figures of `stats` for one capture or several: fed with one exchange after the other, in memory that does not grow with
/// their number.
package struct CaptureStatistics: Sendable {
  package struct Failure: Sendable, Hashable {
    /// The side at fault, the error and the phase, as far as the log has them; or the status of an error response.
    package let description: String
  }

  /// How often something occurred, and where it occurred first.
  package struct Occurrences: Sendable, Hashable {
    package fileprivate(set) var count = 0
    package let first: ExchangePlace
  }

  /// A group by its key, a value for each grouping.
  package struct Group: Sendable {
    package let key: [String]
    package internal(set) var statistics = GroupStatistics()

    /// `api.example, build-7`.
    package var name: String { key.joined(separator: ", ") }
  }

  package let groupings: [StatisticsGrouping]
  /// How many captures were counted.
  package private(set) var captures = 0
  /// Everything together, but for its `wait`, which is a phase.
  package private(set) var all = GroupStatistics()
  package private(set) var tunnels = 0
  /// Crashes of tapeline itself.
  package private(set) var crashes = 0
  /// Exchanges that went on as a WebSocket or in another protocol.
  package private(set) var switched = 0
  /// The courses of exchanges whose times are counted.
  private let timed: Set<ExchangeCourse>
  /// Connections that went past the proxy.
  package private(set) var bypassed = 0
  private var groups = GroupTable()
  private var hosts = KnownHosts()
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
  /// The capture that is counted, if its exchanges name it.
  private var file: String?

  private static let failureLimit = 200

  /// The parts of an entry that the statistics need: nothing large.
  package static func parts(_ groupings: [StatisticsGrouping]) -> HAREntryParts {
    groupings.reduce(into: .figures) { $0.formUnion($1.parts) }
  }

  /// - Parameters:
  ///   - slowest: how many of the slowest exchanges to keep.
  ///   - filter: the condition of all exchanges that will come, which may ask for the times of others than answered exchanges.
  package init(by groupings: [StatisticsGrouping], slowest: Int = 10, filter: Query? = nil) {
    self.groupings = groupings
    timed = filter?.expression.namedCourses.union([.answered]) ?? [.answered]
    self.slowest = SlowestExchanges(limit: slowest)
  }

  /// The exchanges of another capture follow.
  ///
  /// - Parameter name: its name, if exchanges must say where they are; `nil` if there is only one.
  package mutating func beginCapture(named name: String?) {
    captures += 1
    file = name
  }

  /// The times of the exchanges in one phase.
  package subscript(phase: Phase) -> Distribution { phases[phase.rawValue] }

  /// - Parameter number: the place of the exchange in its file, from 1.
  package mutating func add(_ entry: HAREntry, number: Int) {
    let exchange = CountedEntry(entry)
    guard isCounted(exchange.course) else { return addOther(exchange.course) }
    groups.makeRoom()
    add(exchange, number: number, group: group(groupings.map { $0.key(of: entry, number: number) }))
  }

  /// A member of the log besides its exchanges.
  package mutating func add(_ member: HARObject.Member) {
    bypassed += BypassedPrograms(member)?.count ?? 0
  }

  /// Whether the figures of ordinary entries are enough.
  package var needsOnlyFigures: Bool { groupings.allSatisfy(\.isAmongFigures) }

  /// Counts an ordinary entry by its figures; `needsOnlyFigures` holds.
  package mutating func add(_ figures: ScannedEntry, number: Int) {
    let exchange = CountedEntry(figures)
    guard isCounted(exchange.course) else { return addOther(exchange.course) }
    groups.makeRoom()
    let key = groupings.map { $0.key(of: figures, &hosts) }
    add(exchange, number: number, group: group(key))
  }

  /// Whether an exchange is counted as one: a tunnel or a crash is not, unless somebody asks for it.
  func isCounted(_ course: ExchangeCourse) -> Bool { course != .tunnel && course != .crash || timed.contains(course) }

  /// Counts what is not counted as an exchange.
  mutating func addOther(_ course: ExchangeCourse) {
    if course == .crash { crashes += 1 } else { tunnels += 1 }
  }

  /// Where exchanges with this key are counted, until room is made for other groups.
  mutating func group(_ key: [String]) -> Int { groups.place(of: key) }

  /// Before places of groups are asked for.
  mutating func makeRoomForGroups() { groups.makeRoom() }

  /// All groups that were given up for room, together.
  package var others: GroupStatistics? { groups.others }

  /// Counts an exchange; `isCounted` holds.
  mutating func add(_ exchange: some CountedExchange, number: Int, group: Int) {
    let durations = exchange.durations
    let isTimed = timed.contains(exchange.course)
    all.add(exchange, isTimed: isTimed, waited: nil)
    countInGroup(exchange, isTimed: isTimed, waited: durations[.wait], group: group)
    if canBeSlow(exchange.course) { slowest.add(exchange, durations, at: ExchangePlace(file: file, number: number)) }
    countFailure(of: exchange, number: number)
    if isTimed {
      for phase in Phase.allCases {
        if let duration = durations[phase] { phases[phase.rawValue].add(duration) }
      }
    }
    countConnection(isNew: durations[.connect] != nil, status: exchange.status)
    if exchange.course == .switched { switched += 1 }
    if let overhead = exchange.requestOverhead { overheadOnRequests.add(overhead) }
    if let overhead = exchange.responseOverhead { overheadOnResponses.add(overhead) }
  }

  /// A WebSocket is not slow because it lasted; what failed or was ended may have been.
  private func canBeSlow(_ course: ExchangeCourse) -> Bool { course != .switched || timed.contains(.switched) }

  /// Counts exchanges for which `isCounted` holds, one figure after the other, which is faster. Each figure gets its values in
  /// the order of the exchanges, so its sum is the same to the last bit.
  ///
  /// - Parameter groups: where each exchange is counted, as `group` says.
  mutating func add(_ exchanges: IndexedExchanges, groups places: [Int]) {
    let waits = exchanges[.wait]
    let areTimed = exchanges.courses.map(timed.contains)
    let areAllTimed = !areTimed.contains(false)
    func times(_ durations: [Double]) -> [Double] {
      areAllTimed ? durations : zip(durations, areTimed).compactMap { $1 ? $0 : nil }
    }
    for place in 0..<exchanges.count {
      countInGroup(exchanges[place], isTimed: areTimed[place], waited: waits[place], group: places[place])
    }
    all.add(exchanges, totals: times(exchanges.totals))
    switched += exchanges.courses.count { $0 == .switched }
    for place in 0..<exchanges.count where slowest.takes(exchanges.totals[place]) {
      let exchange = exchanges[place]
      guard canBeSlow(exchange.course) else { continue }
      slowest.add(exchange, exchange.durations, at: ExchangePlace(file: file, number: exchanges.numbers[place]))
    }
    for place in 0..<exchanges.count { countFailure(of: exchanges[place], number: exchanges.numbers[place]) }
    for phase in Phase.allCases { phases[phase.rawValue].add(times(exchanges[phase])) }
    for (connect, status) in zip(exchanges[.connect], exchanges.statuses) {
      countConnection(isNew: !connect.isNaN, status: status)
    }
    overheadOnRequests.add(exchanges.requestOverheads)
    overheadOnResponses.add(exchanges.responseOverheads)
  }

  private mutating func countInGroup(_ exchange: some CountedExchange, isTimed: Bool, waited: Double?, group: Int) {
    groups.add(exchange, isTimed: isTimed, waited: waited, at: group)
  }

  private mutating func countConnection(isNew: Bool, status: Int) {
    if isNew { newConnections += 1 } else if status > 0 { reusedConnections += 1 }
  }

  private mutating func countFailure(of exchange: some CountedExchange, number: Int) {
    let place = ExchangePlace(file: file, number: number)
    if exchange.status >= 400 { Self.count(Failure(description: exchange.statusLine), at: place, in: &errorStatuses) }
    if exchange.hasFailed { Self.count(Failure(description: exchange.failure), at: place, in: &failures) }
  }

  private static func count(_ failure: Failure, at place: ExchangePlace, in table: inout [Failure: Occurrences]) {
    let isKnown = table[failure] != nil || table.count < failureLimit
    table[isKnown ? failure : Failure(description: "other"), default: Occurrences(first: place)].count += 1
  }

  /// The groups with the most total time first; equal ones by name.
  package var rankedGroups: [Group] { groups.ranked }

  /// The most total time that a group may lack, in milliseconds: it may have been given up and begun again. 0 if none was given
  /// up.
  package var missingFromGroups: Double { groups.missing }

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

/// Where an exchange is: in a capture that needs no name, or in one of several.
package struct ExchangePlace: Sendable, Hashable {
  package let file: String?
  /// The place in the file, from 1.
  package let number: Int

  /// `#12`, or `a.har#12`.
  var text: String { "\(file ?? "")#\(number)" }
}

/// The few exchanges that took longest.
package struct SlowestExchanges: Sendable {
  package struct Exchange: Sendable, Hashable {
    package let place: ExchangePlace
    package let method: String
    package let url: String
    package let status: Int
    /// The status as in tables: `200`, `200!`, `200/8`, `ERR`, `END`.
    package let outcome: String
    /// In milliseconds, without the client's own part and the proxy's.
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

  /// Whether an exchange with this total is among the slowest so far; never one that is not a number.
  func takes(_ total: Double) -> Bool {
    guard exchanges.count >= limit else { return !total.isNaN }
    return exchanges.last.map { total > $0.total } ?? false
  }

  mutating func add(_ added: some CountedExchange, _ durations: PhaseDurations, at place: ExchangePlace) {
    guard let total = added.total, takes(total) else { return }
    if exchanges.count >= limit { exchanges.removeLast() }
    // TLS is a part of connecting, and is named if it is the larger part.
    let longest = durations.ofTotal.longest ?? (phase: .wait, milliseconds: 0)
    let exchange = Exchange(
      place: place, method: added.method, url: added.url, status: added.status, outcome: added.outcome, total: total,
      longest: longest.phase, longestDuration: longest.milliseconds)
    let index = exchanges.firstIndex { $0.total < total } ?? exchanges.endIndex
    exchanges.insert(exchange, at: index)
  }
}
