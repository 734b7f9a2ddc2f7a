/// Replays a run whose connections were all occupied at times, without one of its exchanges: those that wait take the connection
/// that is free first, which need not be the one that they had.
///
/// The model is that of clients of HTTP/1: requests wait in the order in which they are wanted, an idle connection is taken
/// before another is opened, and no more are open to a server than were in use at once. A replay that does not come to the
/// recorded end with all exchanges in it knows too little, and does not exist.
struct ConnectionReplay {
  private var steps: [Step]
  /// The exchanges that each one releases: `dependents[offsets[index]..<offsets[index + 1]]`.
  private var offsets: [Int]
  private var dependents: [Release] = []
  /// The number of connections to each server; `nil` if nothing waited for one.
  private let capacities: [Int?]
  /// For each server, how long it takes to open a connection.
  private var openings: [Int]
  /// Whether the end of each exchange can be the end of the run.
  private let isEnd: [Bool]
  /// How long each exchange took. None saves more: it was not wanted earlier than the log shows, as far as anybody knows.
  private let durations: [Int]

  private struct Release {
    let target: Int
    let anchor: Dependency.Anchor
  }

  /// An exchange; times in nanoseconds.
  private struct Step {
    var releases = 0
    /// The start, if nothing released it.
    var start: Int
    /// From the last release until it was wanted.
    var think: Int
    /// From then until it was sent, unless it waited for a connection.
    var lag: Int
    /// From the end of the connection's exchange before it until it was sent.
    var handover: Int
    let firstByte: Int
    let end: Int
    /// Opening its connection, included in `firstByte`.
    let opening: Int
    let pool: Int?
    let connection: Int?
  }

  /// Exchanges replayed for all figures of a page, at most: the first ones that could matter count.
  private static let budget = 60_000
  private static let mostCandidates = 200
  /// How far the end of an exchange may be from the recorded one, in parts of the run, and the part of them that may be farther.
  private static let precision = 100
  private static let mostStrays = 10

  /// - Parameter recorded: how long each exchange opened its connection, in nanoseconds.
  init?(_ schedule: Schedule, _ connections: ConnectionUse, openings recorded: [Int]) {
    let times = schedule.times
    let waited = schedule.dependencies.map { found in found.first(where: \.reason.isPlace) }
    let contended = Set(times.indices.filter { waited[$0] != nil }.compactMap { connections.pools[$0] })
    guard !contended.isEmpty, times.count * 2 <= Self.budget else { return nil }
    capacities = connections.capacities.enumerated().map { contended.contains($0.offset) ? $0.element : nil }
    openings = []
    durations = times.map { $0.end - $0.start }
    isEnd = schedule.isEnd
    // A proxy sees a request when it is sent, and not when the client wanted it: not before those that were sent at once.
    var thinking: [Int: Int] = [:]
    for index in times.indices where waited[index] == nil {
      guard let source = schedule.release(of: index) else { continue }
      thinking[source] = max(thinking[source] ?? 0, schedule.clientTimes[index])
    }
    // An exchange that waited in a queue from the beginning was wanted when the exchanges that did not wait were sent.
    var wishes = times.map(\.start)
    var firsts: [Int: Int] = [:]
    for index in times.indices where schedule.release(of: index) == nil {
      guard let pool = connections.pools[index] else { continue }
      if waited[index] == nil {
        firsts[pool] = max(firsts[pool] ?? 0, times[index].start)
      } else if waited[index]?.delayed == .start, let first = firsts[pool] {
        wishes[index] = min(first, wishes[index])
      }
    }
    steps = times.indices.map { index in
      let moments = times[index]
      let waited = waited[index]
      let isWishUnknown = waited?.delayed == .start
      let think = isWishUnknown ? schedule.release(of: index).flatMap { thinking[$0] } ?? 0 : schedule.clientTimes[index]
      return Step(
        start: wishes[index], think: think,
        lag: waited == nil ? moments.ready - moments.start : 0,
        handover: waited.map { max(0, moments.ready - times[$0.source].end) } ?? 0, firstByte: moments.firstByte - moments.ready,
        end: moments.end - moments.ready, opening: recorded[index], pool: connections.pools[index],
        connection: connections.numbers[index])
    }
    var counts = Array(repeating: 0, count: times.count + 1)
    for found in schedule.dependencies {
      for dependency in found where !dependency.reason.isPlace { counts[dependency.source + 1] += 1 }
    }
    for index in counts.indices.dropFirst() { counts[index] += counts[index - 1] }
    offsets = counts
    dependents = Array(repeating: Release(target: 0, anchor: .end), count: counts.last ?? 0)
    var next = counts
    for (target, found) in schedule.dependencies.enumerated() {
      for dependency in found where !dependency.reason.isPlace {
        dependents[next[dependency.source]] = Release(target: target, anchor: dependency.anchor)
        next[dependency.source] += 1
        steps[target].releases += 1
      }
    }
    openings = Array(repeating: 0, count: capacities.count)
    for step in steps.reversed() where step.opening > 0 { step.pool.map { openings[$0] = step.opening } }
    let replayed = ends(without: nil)
    let strays = times.indices.filter { abs(replayed[$0] - times[$0].end) > schedule.end / Self.precision }
    guard strays.count * Self.mostStrays <= times.count,
      abs(last(of: replayed) - schedule.end) <= schedule.end / Self.precision
    else { return nil }
  }

  /// How much earlier the run ends without each exchange: estimates, with those replaced that a replay can better.
  func savings(_ estimates: [Int]) -> (savings: [Int], replayed: Set<Int>) {
    var savings = estimates
    let whole = last(of: ends(without: nil))
    let candidates = candidates(estimates)
    for index in candidates {
      savings[index] = min(durations[index], max(0, whole - last(of: ends(without: index))))
    }
    return (savings, candidates)
  }

  /// The exchanges with the largest estimates, and the longest of those that kept others waiting.
  private func candidates(_ estimates: [Int]) -> Set<Int> {
    let count = min(Self.mostCandidates, Self.budget / steps.count - 1)
    let byEstimate = estimates.indices.filter { estimates[$0] > 0 }.sorted { estimates[$0] > estimates[$1] }
    let occupying = steps.indices.filter { index in steps[index].pool.flatMap { capacities[$0] } != nil }
      .sorted { steps[$0].end > steps[$1].end }
    return Set(byEstimate.prefix(count - count / 3)).union(occupying.prefix(count / 3))
  }

  /// The end of the run.
  private func last(of ends: [Int]) -> Int {
    ends.indices.lazy.filter { isEnd[$0] }.map { ends[$0] }.max() ?? 0
  }

  /// The end of each exchange, in nanoseconds from the start of the run.
  private func ends(without removed: Int?) -> [Int] {
    var wanted = steps.map(\.start)
    var released = [Int?](repeating: nil, count: steps.count)
    var missing = steps.map(\.releases)
    var pools = zip(capacities, openings).map { Pool(capacity: $0, opening: $1) }
    var queue = Queue()
    var ends = wanted
    for index in steps.indices where missing[index] == 0 { queue.insert(wanted[index], index) }
    while let (moment, index) = queue.removeFirst() {
      let step = steps[index]
      var (firstByte, end) = (moment, moment)
      if index != removed {
        var sent = moment + step.lag
        var duration = (firstByte: step.firstByte, end: step.end)
        if let pool = step.pool {
          let way = pools[pool].take(for: step.connection, at: moment)
          if let free = way.free { sent = max(sent, free + step.handover) }
          // The opening is in the recorded time of the one that opened it.
          let difference = (way.isNew ? max(step.opening, pools[pool].opening) : 0) - step.opening
          duration = (max(0, duration.firstByte + difference), max(0, duration.end + difference))
          pools[pool].occupy(way.number, until: sent + duration.end)
        }
        (firstByte, end) = (sent + duration.firstByte, sent + duration.end)
      }
      ends[index] = end
      for release in dependents[offsets[index]..<offsets[index + 1]] {
        let target = release.target
        let moment = release.anchor == .end ? end : firstByte
        released[target] = max(released[target] ?? moment, moment)
        missing[target] -= 1
        guard missing[target] == 0, let moment = released[target] else { continue }
        wanted[target] = moment + steps[target].think
        queue.insert(wanted[target], target)
      }
    }
    return ends
  }

  /// The connections to a server.
  private struct Pool {
    let capacity: Int?
    let opening: Int
    /// When each connection is free.
    private var free: [Int: Int] = [:]

    init(capacity: Int?, opening: Int) {
      self.capacity = capacity
      self.opening = opening
    }

    /// - Parameter recorded: the connection that the exchange had.
    /// - Returns: the connection, when it is free if it was open, and whether it must be opened.
    func take(for recorded: Int?, at moment: Int) -> (number: Int, free: Int?, isNew: Bool) {
      if let recorded, let end = free[recorded], end <= moment { return (recorded, nil, false) }
      if let idle = free.filter({ $0.value <= moment }).max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) {
        return (idle.key, nil, false)
      }
      if let capacity, free.count >= capacity, let next = free.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
        return (next.key, next.value, false)
      }
      let unused = recorded.flatMap { free[$0] == nil ? $0 : nil } ?? -1 - free.count
      return (unused, nil, true)
    }

    mutating func occupy(_ number: Int, until end: Int) {
      free[number] = end
    }
  }

  /// Exchanges by the moment when they are wanted: a binary heap.
  private struct Queue {
    private var items: [(moment: Int, index: Int)] = []

    mutating func insert(_ moment: Int, _ index: Int) {
      items.append((moment, index))
      var place = items.count - 1
      while place > 0, items[place] < items[(place - 1) / 2] {
        items.swapAt(place, (place - 1) / 2)
        place = (place - 1) / 2
      }
    }

    mutating func removeFirst() -> (moment: Int, index: Int)? {
      guard let first = items.first, let last = items.popLast() else { return nil }
      guard !items.isEmpty else { return first }
      items[0] = last
      var place = 0
      while true {
        let children = (2 * place + 1..<2 * place + 3).clamped(to: 0..<items.count)
        guard let least = children.min(by: { items[$0] < items[$1] }), items[least] < items[place] else { return first }
        items.swapAt(place, least)
        place = least
      }
    }
  }
}
