package import TapelineHAR

/// The exchanges that delayed the end of a page or command, and what each exchange cost.
package struct CriticalPath: Sendable {
  /// The id of the page; empty if the exchanges belong to no page.
  let page: String
  /// The title of the page, else its id; empty if the exchanges belong to no page.
  package let title: String
  /// Nanoseconds since 1970.
  package let start: Int
  /// From the first start to the last end, in milliseconds.
  package let duration: Double
  /// In the order of their starts.
  package let rows: [Row]
  /// The longest chains of exchanges to the end, by their places in `rows`: several if they are equally long.
  package let paths: [[Int]]

  /// An exchange; all times in milliseconds.
  package struct Row: Sendable {
    /// The place in the file, from 1.
    package let number: Int
    package let method: String
    package let url: String
    /// The status as in tables: `200`, `200!`, `ERR`, `END`.
    package let outcome: String
    package let isFailed: Bool
    /// From the beginning of the page.
    package let offset: Double
    package let duration: Double
    /// The client's own time between the last release and the start.
    package let clientTime: Double
    /// How much longer it could have taken without delaying the end; 0 on a critical path.
    package let slack: Double
    /// How much earlier the end would have been if it had taken no time.
    package let saving: Double
    /// What it waited for, with what held it back longest first.
    package let causes: [Cause]
  }

  /// What an exchange waited for.
  package struct Cause: Sendable {
    /// The exchange's place in the file, from 1.
    package let number: Int
    package let reason: DependencyReason
    /// From 0 to 1.
    package let confidence: Double
    /// Whether it held the exchange back to the last moment.
    package let isBinding: Bool
  }

  /// Equally long paths that are told.
  private static let pathLimit = 4

  init(page: String, title: String, _ finder: DependencyFinder) {
    let schedule = Schedule(finder.times, finder.dependencies)
    let exchanges = finder.exchanges
    let replay = ConnectionReplay(schedule, finder.connections, openings: exchanges.map(\.opening))
    let savings = replay?.savings(schedule.savings) ?? schedule.savings
    // The schedule is in the order of sending; people read the order of starts.
    let order = exchanges.indices.sorted {
      (finder.times[$0].start, exchanges[$0].number) < (finder.times[$1].start, exchanges[$1].number)
    }
    var places = Array(repeating: 0, count: order.count)
    for (place, index) in order.enumerated() { places[index] = place }
    self.page = page
    self.title = title
    start = order.first.map { exchanges[$0].start } ?? 0
    duration = Double(schedule.end) / 1e6
    rows = order.map { Row(exchanges[$0], at: $0, in: schedule, saving: savings[$0], among: exchanges) }
    paths = schedule.paths(atMost: Self.pathLimit).map { path in path.map { places[$0] } }
  }

  /// The row whose removal shortens the run most; `nil` if none alone does.
  package var costliest: Row? {
    rows.max { ($0.saving, -$0.number) < ($1.saving, -$1.number) }.flatMap { $0.saving > 0 ? $0 : nil }
  }

  /// The client's own time on the path, in milliseconds.
  var clientTime: Double {
    paths.first.map { places in places.reduce(0) { $0 + rows[$1].clientTime } } ?? 0
  }

  /// The exchanges beside the paths, with the smallest slack first.
  package var nearest: [Row] {
    let critical = Set(paths.joined())
    return rows.indices.filter { !critical.contains($0) }.map { rows[$0] }
      .sorted { ($0.slack, $0.number) < ($1.slack, $1.number) }
  }
}

extension CriticalPath.Row {
  fileprivate init(
    _ exchange: CriticalExchange, at index: Int, in schedule: Schedule, saving: Int, among exchanges: [CriticalExchange]
  ) {
    let times = schedule.times[index]
    let binding = Set(schedule.binding(index))
    number = exchange.number
    method = exchange.method
    url = exchange.url
    outcome = exchange.outcome
    isFailed = exchange.isFailed
    offset = Double(times.start) / 1e6
    duration = Double(times.end - times.start) / 1e6
    clientTime = Double(max(0, schedule.clientTimes[index])) / 1e6
    slack = Double(schedule.slacks[index]) / 1e6
    self.saving = Double(saving) / 1e6
    let causes = schedule.dependencies[index].map { dependency in
      CriticalPath.Cause(
        number: exchanges[dependency.source].number, reason: dependency.reason, confidence: dependency.confidence,
        isBinding: binding.contains(dependency))
    }
    self.causes = causes.filter(\.isBinding) + causes.filter { !$0.isBinding }
  }
}

/// Reads a capture for its critical paths: first all exchanges without bodies, then the bodies. Memory holds some facts
/// for each exchange.
package struct CriticalPathSearch: Sendable {
  /// What the first reading needs.
  package static let parts: HAREntryParts = [.fields, .custom]
  /// What the second reading needs.
  package static let bodyParts: HAREntryParts = [.bodies, .custom]

  /// Exchanges without a start time.
  package private(set) var undated = 0
  /// Tunnels and WebSockets: their ends are not the end of any work.
  package private(set) var lifetimes = 0
  private var found: [String: [CriticalExchange]] = [:]
  private var titles: [String: String] = [:]
  private var finders: [String: DependencyFinder] = [:]
  private var places: [Int: (page: String, index: Int)] = [:]

  package init() {}

  /// Pages may come before the entries or after them.
  package mutating func add(_ page: HARPage) {
    titles[page.id] = page.title
  }

  /// Takes an exchange of the first reading.
  ///
  /// - Parameter number: the place of the exchange in its file, from 1.
  package mutating func add(_ entry: HAREntry, number: Int) {
    guard !entry.request.asksForTunnel, !entry.hasSwitchedProtocols else {
      lifetimes += 1
      return
    }
    guard let exchange = CriticalExchange(entry, number: number) else {
      undated += 1
      return
    }
    found[entry.pageref ?? "", default: []].append(exchange)
  }

  /// Ends the first reading.
  ///
  /// - Parameter page: the title or id of the only page to look at; `nil` for all.
  /// - Returns: whether there is such a page.
  package mutating func select(page: String?) -> Bool {
    let chosen = found.filter { id, _ in page.map { $0 == id || $0 == titles[id] } ?? true }
    for (id, exchanges) in chosen {
      let finder = DependencyFinder(exchanges)
      for (index, exchange) in finder.exchanges.enumerated() { places[exchange.number] = (id, index) }
      finders[id] = finder
    }
    found = [:]
    return page == nil || !chosen.isEmpty
  }

  /// Takes an exchange of the second reading.
  ///
  /// - Parameter limit: the number of bytes of the body to look at; `nil` for all.
  package mutating func readBody(of entry: HAREntry, number: Int, upTo limit: Int? = nil) {
    guard let place = places[number] else { return }
    finders[place.page]?.read(entry.response, of: place.index, upTo: limit)
  }

  /// In the order of their first exchanges.
  package var paths: [CriticalPath] {
    finders.map { id, finder in
      CriticalPath(page: id, title: titles[id].flatMap { $0.isEmpty ? nil : $0 } ?? id, finder)
    }.sorted { ($0.start, $0.title) < ($1.start, $1.title) }
  }
}
