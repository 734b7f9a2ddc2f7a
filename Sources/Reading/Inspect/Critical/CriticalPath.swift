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
  /// Exchanges that cost much more together than each alone; `nil` if there are none.
  package let group: Group?
  /// `nil` if everything on the path is explained.
  package let remark: Remark?

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
    /// How much longer it could have taken without delaying the end; 0 on a critical path, `nil` if nobody waited for it.
    package let slack: Double?
    /// How much earlier the end would have been if it had taken no time.
    package let saving: Double
    /// How sure slack and saving are, from 0 to 1: as sure as the least sure step from its end to the end of the page.
    package let confidence: Double
    /// The exchanges that it waited for; the one that held it back longest comes first.
    package let causes: [Cause]

    /// Whether what it cost can be said without "may".
    package var isSure: Bool { confidence >= CriticalPath.sureness }
  }

  /// Exchanges that are alike and were in flight together, and what they cost together.
  package struct Group: Sendable {
    /// In the order of their starts, as numbers in the file.
    package let numbers: [Int]
    /// `pictures`, `GET /items/{id}`.
    let name: String
    /// How much earlier the end would have been if none of them had taken any time; in milliseconds.
    package let saving: Double
  }

  /// The client's own time on the path that nothing explains, though an exchange had ended just before it was over.
  package struct Remark: Sendable {
    /// In milliseconds.
    package let clientTime: Double
    /// The number of the exchange that began after it.
    package let next: Int
    /// The number of the exchange that had ended, and how long before, in milliseconds.
    package let ended: Int
    package let pause: Double
  }

  /// From this confidence on, conclusions do without "may".
  package static let sureness = 0.6

  /// An exchange that another one waited for.
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
  /// A group that is told saves at least this part of the run.
  private static let leastGroup = 20

  init(page: String, title: String, _ finder: DependencyFinder) {
    let exchanges = finder.exchanges
    let schedule = Schedule(finder.times, finder.dependencies, isEnd: finder.areEnds)
    let connections = finder.connections.with(turnsOf: schedule, exchanges)
    let replay = ConnectionReplay(schedule, connections, openings: exchanges.map(\.opening))
    let (savings, replayed) = replay?.savings(schedule.savings) ?? (schedule.savings, [])
    // The schedule is in the order of sending; people read the order of starts.
    let order = exchanges.indices.sorted {
      (finder.times[$0].start, exchanges[$0].number) < (finder.times[$1].start, exchanges[$1].number)
    }
    var places = Array(repeating: 0, count: order.count)
    for (place, index) in order.enumerated() { places[index] = place }
    let paths = schedule.paths(atMost: Self.pathLimit)
    let certainty = PathCertainty(schedule, paths.first ?? [], pools: connections.pools, replayed: replayed)
    let confidences = certainty.confidences
    self.page = page
    self.title = title
    start = order.first.map { exchanges[$0].start } ?? 0
    duration = Double(schedule.end) / 1e6
    rows = order.map { index in
      Row(exchanges[index], at: index, in: schedule, saving: savings[index], confidences[index], among: exchanges)
    }
    self.paths = paths.map { path in path.map { places[$0] } }
    group = ParallelGroups(exchanges, schedule).costliest.flatMap { indices, saving in
      guard saving >= max(schedule.end / Self.leastGroup, (savings.max() ?? 0) * 3 / 2) else { return nil }
      return Group(indices, exchanges, saving: saving)
    }
    remark = certainty.unexplained.map { gap in
      Remark(
        clientTime: Double(gap.time) / 1e6, next: exchanges[gap.next].number, ended: exchanges[gap.ended].number,
        pause: Double(gap.pause) / 1e6)
    }
  }

  /// The row whose removal shortens the run most; `nil` if none alone does.
  package var costliest: Row? {
    rows.max { ($0.saving, -$0.number) < ($1.saving, -$1.number) }.flatMap { $0.saving > 0 ? $0 : nil }
  }

  /// One that may have cost more than the costliest, which is sure; `nil` if none can.
  var rival: Row? {
    guard let costliest, costliest.isSure else { return nil }
    return rows.filter { !$0.isSure && $0.slack != nil && $0.duration > costliest.saving }
      .max { ($0.duration, -$0.number) < ($1.duration, -$1.number) }
  }

  /// The client's own time on the path, in milliseconds.
  var clientTime: Double {
    paths.first.map { places in places.reduce(0) { $0 + rows[$1].clientTime } } ?? 0
  }

  /// The exchanges beside the paths, with the smallest slack first.
  package var nearest: [Row] {
    let critical = Set(paths.joined())
    return rows.indices.filter { !critical.contains($0) }.map { rows[$0] }
      .sorted { ($0.slack ?? .infinity, $0.number) < ($1.slack ?? .infinity, $1.number) }
  }
}

extension CriticalPath.Row {
  fileprivate init(
    _ exchange: CriticalExchange, at index: Int, in schedule: Schedule, saving: Int, _ confidence: Double,
    among exchanges: [CriticalExchange]
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
    slack = schedule.slacks[index].map { Double($0) / 1e6 }
    self.confidence = confidence
    self.saving = Double(saving) / 1e6
    let causes = schedule.dependencies[index].map { dependency in
      CriticalPath.Cause(
        number: exchanges[dependency.source].number, reason: dependency.reason, confidence: dependency.confidence,
        isBinding: binding.contains(dependency))
    }
    self.causes = causes.filter(\.isBinding) + causes.filter { !$0.isBinding }
  }
}
