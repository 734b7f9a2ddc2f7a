/// The exchanges by their addresses, each in the order of their starts.
struct AddressIndex: Sendable {
  /// For each address, the places of its exchanges in `order`.
  private let groups: [Substring: Range<Int>]
  private let order: [Int]

  /// How many of the same address are looked at.
  private static let reach = 16

  init(_ exchanges: [CriticalExchange], _ times: [ExchangeTimes], _ key: (WebAddress) -> Substring) {
    var counts: [Substring: Int] = [:]
    for exchange in exchanges { exchange.address.map { counts[key($0), default: 0] += 1 } }
    var end = 0
    var groups = counts.mapValues { count in
      defer { end += count }
      return end..<end
    }
    var order = Array(repeating: 0, count: end)
    for index in exchanges.indices.sorted(by: { (times[$0].start, $0) < (times[$1].start, $1) }) {
      guard let address = exchanges[index].address, let group = groups[key(address)] else { continue }
      order[group.upperBound] = index
      groups[key(address)] = group.lowerBound..<group.upperBound + 1
    }
    self.groups = groups
    self.order = order
  }

  /// The first that began at a moment or later.
  func first(of key: Substring, from moment: Int, after source: Int, _ times: [ExchangeTimes]) -> Int? {
    guard let found = groups[key].map({ order[$0] }) else { return nil }
    let place = found.partitioned { times[$0].start < moment }
    return found[place...].prefix(Self.reach).first { $0 > source }
  }

  /// The last that had begun to answer at a moment.
  func last(of key: Substring, from moment: Int, before target: Int, _ times: [ExchangeTimes], tolerance: Int) -> Int? {
    guard let found = groups[key].map({ order[$0] }) else { return nil }
    let place = found.partitioned { times[$0].start <= moment }
    return found[..<place].suffix(Self.reach).last { $0 < target && times[$0].firstByte <= moment + tolerance }
  }
}
