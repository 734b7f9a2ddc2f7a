/// Which connections carry one exchange at a time, and when all to a server were occupied.
struct ConnectionUse: Sendable {
  /// For each exchange, the one before it on its connection.
  private(set) var previous: [Int?]
  /// For each exchange that was alone on its connection, the first exchange there, and the number of the server.
  private(set) var numbers: [Int?]
  private(set) var pools: [Int?]
  /// For each server, the number of connections that were in use at once.
  private(set) var capacities: [Int] = []
  /// The first exchanges of connections that were used again.
  private(set) var openers: [Int] = []
  private var uses: [Substring: Use] = [:]

  /// No loop has more exchanges at a time.
  private static let widestLoop = 64

  private struct Use: Sendable {
    var opened: [Int] = []
    var begun: [Int] = []
    var ended: [Int] = []

    /// The number of exchanges that were in flight at once, from sorted moments.
    func most(tolerance: Int) -> Int {
      var (most, over) = (0, 0)
      for (count, moment) in begun.enumerated() {
        while over < ended.count, ended[over] <= moment + tolerance { over += 1 }
        most = max(most, count + 1 - over)
      }
      return most
    }
  }

  init(_ exchanges: [CriticalExchange], _ times: [ExchangeTimes], tolerance: Int) {
    previous = Array(repeating: nil, count: exchanges.count)
    numbers = previous
    pools = previous
    var servers: [Substring: Int] = [:]
    var rows: [String: [Int]] = [:]
    var opened: [String: Int] = [:]
    var used: Set<Int> = []
    for (index, exchange) in exchanges.enumerated() {
      guard let connection = exchange.connection else { continue }
      if let first = opened[connection] { used.insert(first) } else { opened[connection] = index }
      if exchange.isAlone { rows[connection, default: []].append(index) }
    }
    openers = used.sorted()
    for row in rows.values {
      let neighbours = zip(row, row.dropFirst())
      // Overlapping exchanges share it: nothing waits for its turn.
      guard neighbours.allSatisfy({ times[$0].end <= times[$1].ready + tolerance }) else { continue }
      for (earlier, later) in neighbours { previous[later] = earlier }
      guard let first = row.first, let origin = exchanges[first].address?.origin else { continue }
      uses[origin, default: Use()].opened.append(times[first].ready)
      let server = servers[origin] ?? servers.count
      servers[origin] = server
      for index in row {
        (numbers[index], pools[index]) = (first, server)
        uses[origin, default: Use()].begun.append(times[index].ready)
        uses[origin, default: Use()].ended.append(times[index].end)
      }
    }
    capacities = Array(repeating: 0, count: servers.count)
    for (origin, server) in servers {
      uses[origin]?.opened.sort()
      uses[origin]?.begun.sort()
      uses[origin]?.ended.sort()
      capacities[server] = uses[origin]?.most(tolerance: tolerance) ?? 0
    }
  }

  /// With the places of loops that have a limit, which are like connections.
  func with(turnsOf schedule: Schedule, _ exchanges: [CriticalExchange]) -> ConnectionUse {
    var first: [Int: Int] = [:]
    for (index, found) in schedule.dependencies.enumerated() {
      guard let turn = found.first(where: { $0.reason == .turn }) else { continue }
      first[index] = first[turn.source] ?? turn.source
    }
    var result = self
    for root in Set(first.values).sorted() where first[root] == nil {
      // Exchanges like the first of them that began beside it had places of the same loop.
      let release = schedule.release(of: root)
      let beside = (root - Self.widestLoop..<root + Self.widestLoop).clamped(to: exchanges.indices)
      let places = beside.filter { index in
        first[index] == nil && schedule.release(of: index) == release && exchanges[index].isAlike(exchanges[root])
      }
      for place in places {
        (result.numbers[place], result.pools[place]) = (place, result.capacities.count)
        first[place] = place
      }
      result.capacities.append(places.count)
    }
    for (index, place) in first {
      (result.numbers[index], result.pools[index]) = (result.numbers[place], result.pools[place])
    }
    return result
  }

  /// Whether every connection that was open to the server had an exchange just before a moment.
  ///
  /// - Parameter least: the smallest number of connections that counts.
  func wasFull(before moment: Int, for exchange: CriticalExchange, atLeast least: Int = 1) -> Bool {
    guard let use = exchange.address.flatMap({ uses[$0.origin] }) else { return false }
    let open = use.opened.partitioned { $0 < moment }
    let occupied = use.begun.partitioned { $0 < moment } - use.ended.partitioned { $0 < moment }
    return open >= least && occupied >= open
  }
}

extension RandomAccessCollection where Index == Int {
  /// The index behind the elements at the start for which `isBefore` holds; it holds for none after them.
  func partitioned(by isBefore: (Element) -> Bool) -> Int {
    var (lower, upper) = (startIndex, endIndex)
    while lower < upper {
      let middle = lower + (upper - lower) / 2
      if isBefore(self[middle]) { lower = middle + 1 } else { upper = middle }
    }
    return lower
  }
}
