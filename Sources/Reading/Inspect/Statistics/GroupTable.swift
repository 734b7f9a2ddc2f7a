/// The groups of `stats`, as many as there are. Only if there are too many for the memory, the smaller half is given up: the
/// largest groups stay right, since a group that comes again lacks no more time than the largest one that was given up.
struct GroupTable: Sendable {
  private var groups: [CaptureStatistics.Group] = []
  private var places: [[String]: Int] = [:]
  /// The groups that were given up.
  private(set) var others: GroupStatistics?
  /// The total time of the largest group that was given up, in milliseconds.
  private(set) var missing = 0.0
  private let limit: Int

  /// - Parameter limit: from so many groups on, room is made.
  init(limit: Int = 250_000) {
    self.limit = limit
  }

  /// Where exchanges with this key are counted, until room is made.
  mutating func place(of key: [String]) -> Int {
    if let place = places[key] { return place }
    places[key] = groups.count
    groups.append(CaptureStatistics.Group(key: key))
    return groups.count - 1
  }

  mutating func add(_ exchange: some CountedExchange, isTimed: Bool, waited: Double?, at place: Int) {
    groups[place].statistics.add(exchange, isTimed: isTimed, waited: waited)
  }

  /// Gives up the smaller half of the groups if there are too many. All places change then.
  mutating func makeRoom() {
    guard groups.count >= limit else { return }
    let ranked = ranked
    var rest = others ?? GroupStatistics()
    for group in ranked[(limit / 2)...] {
      rest.add(group.statistics)
      missing = max(missing, group.statistics.total.sum)
    }
    others = rest
    groups = Array(ranked[..<(limit / 2)])
    places = Dictionary(uniqueKeysWithValues: groups.enumerated().map { ($1.key, $0) })
  }

  /// The groups with the most total time first; equal ones by name.
  var ranked: [CaptureStatistics.Group] {
    groups.sorted { left, right in
      let (leftTime, rightTime) = (left.statistics.total.sum, right.statistics.total.sum)
      return leftTime == rightTime ? left.name < right.name : leftTime > rightTime
    }
  }
}
