/// The exchanges of a run as a schedule with dependencies, and what each of them costs.
///
/// The model: an exchange begins when all its dependencies have released it, and after the client's own time, which is what the
/// log shows between the last of these moments and its start. It is sent when its connection is free. Each takes as long as it
/// took. The recorded run is therefore the longest path through the graph, which gives all figures in one pass forwards and one
/// backwards: linear in exchanges and dependencies, but for a sort.
struct Schedule: Sendable {
  /// In the order of `ready`, `start`: an exchange depends on earlier ones only.
  let times: [ExchangeTimes]
  /// For each exchange; at most a few.
  let dependencies: [[Dependency]]
  /// The last end of an exchange that somebody waited for.
  let end: Int
  /// Whether the end of each exchange can be the end of the run.
  let isEnd: [Bool]
  /// The client's own time before each exchange; 0 without a dependency.
  let clientTimes: [Int]
  /// How much longer each exchange could have taken without delaying the end; `nil` if nobody waited for it.
  let slacks: [Int?]
  /// How much earlier the run would have ended if the exchange had taken no time.
  let savings: [Int]

  private let delays: [Delays]

  /// - Parameters:
  ///   - dependencies: those of an exchange on itself or on a later one are left out.
  ///   - isEnd: for each exchange, whether its end can be the end of the run; of all, if of none.
  init(_ times: [ExchangeTimes], _ dependencies: [[Dependency]], isEnd: [Bool] = []) {
    precondition(times.count == dependencies.count, "Each exchange has its dependencies, or none")
    let isEnd = isEnd.contains(true) ? isEnd : Array(repeating: true, count: times.count)
    let forwards = dependencies.enumerated().map { index, found in found.filter { $0.source < index } }
    let delays = times.indices.map { Delays(times[$0], forwards[$0], among: times) }
    let end = times.indices.lazy.filter { isEnd[$0] }.map { times[$0].end }.max() ?? 0
    let rests = Rests(times, forwards, delays, isEnd: isEnd)
    self.times = times
    self.dependencies = forwards
    self.delays = delays
    self.isEnd = isEnd
    self.end = end
    clientTimes = delays.map(\.client)
    slacks = times.indices.map { index in
      rests.afterReady[index] == Rests.nothing ? nil : end - times[index].ready - rests.afterReady[index]
    }
    let elsewhere = Self.endsElsewhere(times, forwards, delays, rests, isEnd: isEnd)
    savings = times.indices.map { index in
      let opening = times[index].opening
      let released = times[index].start + times[index].setUp + opening + max(0, rests.afterRelease[index] ?? 0)
      let passedOn = rests.afterConnection[index].map { times[index].ready + opening + $0 } ?? released
      return max(0, end - max(elsewhere[index], released, passedOn))
    }
  }

  /// For each exchange, the end of the run along the paths that do not meet it.
  ///
  /// Exchanges stand in topological order, so such a path has exactly one arc that spans the place of the exchange: from the
  /// beginning of the run, from one exchange to a later one, or to the end. The largest values are laid over the places first,
  /// and each place keeps the first that it gets.
  private static func endsElsewhere(
    _ times: [ExchangeTimes], _ dependencies: [[Dependency]], _ delays: [Delays], _ rests: Rests, isEnd: [Bool]
  ) -> [Int] {
    var arcs: [(places: Range<Int>, end: Int)] = []
    for (index, found) in dependencies.enumerated() {
      for dependency in found where dependency.source + 1 < index && rests.afterReady[index] != Rests.nothing {
        let released = times[dependency.source].moment(of: dependency.anchor) + delays[index].lag(after: dependency.delayed)
        arcs.append((dependency.source + 1..<index, released + rests.afterReady[index]))
      }
    }
    arcs.sort { $0.end > $1.end }
    var ends = [Int?](repeating: nil, count: times.count)
    var next = Array(0...times.count)
    func firstFree(from place: Int) -> Int {
      var free = place
      while next[free] != free {
        next[free] = next[next[free]]
        free = next[free]
      }
      return free
    }
    for arc in arcs {
      var place = firstFree(from: arc.places.lowerBound)
      while place < arc.places.upperBound {
        ends[place] = arc.end
        next[place] = place + 1
        place = firstFree(from: place)
      }
    }
    var best = ends.map { $0 ?? 0 }
    var latest = 0
    for index in times.indices {
      best[index] = max(best[index], latest)
      if isEnd[index] { latest = max(latest, times[index].end) }
    }
    latest = 0
    for index in times.indices.reversed() {
      best[index] = max(best[index], latest)
      guard delays[index].isFree, rests.afterReady[index] != Rests.nothing else { continue }
      latest = max(latest, times[index].start + delays[index].lag(after: .start) + rests.afterReady[index])
    }
    return best
  }

  /// The end of the run if these exchanges had taken no time, but for opening their connections.
  func end(without removed: Set<Int>) -> Int {
    var moved = times
    var last = 0
    for index in times.indices {
      var release: Int?
      var vacancy: Int?
      for dependency in dependencies[index] {
        let source = moved[dependency.source]
        switch dependency.delayed {
        case .start: release = max(release ?? .min, source.moment(of: dependency.anchor))
        case .sending: vacancy = max(vacancy ?? .min, removed.contains(dependency.source) ? source.ready : source.end)
        }
      }
      let old = times[index]
      let start = release.map { $0 + delays[index].client } ?? old.start
      let sent = vacancy.map { max(start, $0 + delays[index].lag(after: .sending)) }
      let ready = sent ?? start + delays[index].lag(after: .start) - delays[index].client
      let length = removed.contains(index) ? old.opening : old.end - old.ready
      let ended = removed.contains(index) ? start + old.setUp + old.opening : ready + length
      moved[index] = ExchangeTimes(
        start: start, ready: ready, firstByte: removed.contains(index) ? ended : ready + old.firstByte - old.ready, end: ended,
        opening: old.opening, setUp: old.setUp)
      if isEnd[index] { last = max(last, ended) }
    }
    return last
  }

  /// The dependencies that an exchange waited for until the last moment: without them it would have been sent earlier.
  func binding(_ index: Int) -> [Dependency] {
    let found = dependencies[index]
    let delays = Delays(times[index], found, among: times)
    return found.filter { dependency in
      let released = times[dependency.source].moment(of: dependency.anchor)
      return released + delays.lag(after: dependency.delayed) == times[index].ready
    }
  }

  /// The last exchange that released an exchange; `nil` if none did.
  func release(of index: Int) -> Int? {
    let releases = dependencies[index].filter { !$0.reason.isPlace }
    return releases.max { times[$0.source].moment(of: $0.anchor) < times[$1.source].moment(of: $1.anchor) }?.source
  }

  /// The longest paths to the end, each in the order of time: at most `limit`, as ties multiply.
  func paths(atMost limit: Int) -> [[Int]] {
    var paths: [[Int]] = []
    var open = times.indices.filter { isEnd[$0] && times[$0].end == end }.map { [$0] }
    while let path = open.popLast(), paths.count < limit {
      var path = path
      while let first = path.last {
        var seen: Set<Int> = []
        let sources = binding(first).map(\.source).filter { seen.insert($0).inserted }
        guard let source = sources.first else { break }
        for other in sources.dropFirst() where open.count < limit { open.append(path + [other]) }
        path.append(source)
      }
      paths.append(path.reversed())
    }
    return paths
  }
}

/// How an exchange follows from the moments that release it.
private struct Delays: Sendable {
  /// The client's own time: from the last release to the start.
  let client: Int
  /// From the start until it was sent, unless its connection was occupied.
  private let blocked: Int
  /// From the end of the connection's earlier exchange until it was sent.
  private let turn: Int
  /// Whether nothing released it: it began by itself.
  let isFree: Bool

  init(_ times: ExchangeTimes, _ dependencies: [Dependency], among all: [ExchangeTimes]) {
    var release: Int?
    var vacancy: Int?
    for dependency in dependencies {
      let moment = all[dependency.source].moment(of: dependency.anchor)
      switch dependency.delayed {
      case .start: release = max(release ?? moment, moment)
      case .sending: vacancy = max(vacancy ?? moment, moment)
      }
    }
    isFree = release == nil
    client = release.map { times.start - $0 } ?? 0
    turn = vacancy.map { times.ready - $0 } ?? 0
    blocked = vacancy == nil ? times.ready - times.start : 0
  }

  /// From the release until the exchange is sent.
  func lag(after delayed: Dependency.Delayed) -> Int {
    switch delayed {
    case .start: client + blocked
    case .sending: turn
    }
  }
}

/// How long the run goes on after each exchange, along the longest path.
private struct Rests: Sendable {
  /// From the moment when it is sent.
  private(set) var afterReady: [Int]
  /// From its release of later exchanges, without its connection's; `nil` if it releases none.
  private(set) var afterRelease: [Int?]
  /// From its leaving of the connection; `nil` if nothing waited for that.
  private(set) var afterConnection: [Int?]

  /// Instead of a time, if nobody waited for anything that came of the exchange.
  static let nothing = Int.min / 4

  init(_ times: [ExchangeTimes], _ dependencies: [[Dependency]], _ delays: [Delays], isEnd: [Bool]) {
    afterReady = times.indices.map { isEnd[$0] ? times[$0].end - times[$0].ready : Self.nothing }
    afterRelease = Array(repeating: nil, count: times.count)
    afterConnection = Array(repeating: nil, count: times.count)
    for index in times.indices.reversed() {
      for dependency in dependencies[index] where afterReady[index] != Self.nothing {
        let source = dependency.source
        let rest = delays[index].lag(after: dependency.delayed) + afterReady[index]
        let moment = times[source].moment(of: dependency.anchor)
        afterReady[source] = max(afterReady[source], moment - times[source].ready + rest)
        if dependency.reason.isPlace {
          afterConnection[source] = max(afterConnection[source] ?? rest, rest)
        } else {
          afterRelease[source] = max(afterRelease[source] ?? rest, rest)
        }
      }
    }
  }
}
