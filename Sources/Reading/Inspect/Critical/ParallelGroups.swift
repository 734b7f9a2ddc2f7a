/// Exchanges that are alike and in flight together: each alone may cost nothing, as the next of them is as slow.
struct ParallelGroups {
  private let exchanges: [CriticalExchange]
  private let schedule: Schedule

  /// A group has at least so many exchanges.
  private static let least = 3
  /// How many groups are tried, those that took longest.
  private static let most = 8

  init(_ exchanges: [CriticalExchange], _ schedule: Schedule) {
    self.exchanges = exchanges
    self.schedule = schedule
  }

  /// The places of the exchanges of the group that costs most, and how much earlier the end would be without it, in nanoseconds;
  /// `nil` if there is no group.
  var costliest: (indices: [Int], saving: Int)? {
    let groups = all.sorted { (span(of: $0), $1[0]) > (span(of: $1), $0[0]) }.prefix(Self.most)
    return groups.map { ($0, schedule.end - schedule.end(without: Set($0))) }.max { $0.1 < $1.1 }
  }

  private func span(of group: [Int]) -> Int {
    (group.lazy.map { schedule.times[$0].end }.max() ?? 0) - (group.lazy.map { schedule.times[$0].start }.min() ?? 0)
  }

  private var all: [[Int]] {
    var kinds: [String: [Int]] = [:]
    for index in exchanges.indices where schedule.slacks[index] != nil {
      kinds[kind(of: exchanges[index]), default: []].append(index)
    }
    return kinds.values.flatMap(together).filter { $0.count >= Self.least }
  }

  /// Pictures are alike, calls are if they differ in numbers only.
  private func kind(of exchange: CriticalExchange) -> String {
    switch exchange.type {
    case .image, .font, .style, .script, .media: exchange.type.rawValue
    case .document, .fetch, .websocket, .other: "\(exchange.method) \(URLTemplate(exchange.url).text)"
    }
  }

  /// Divides exchanges where none of them was in flight.
  private func together(_ indices: [Int]) -> [[Int]] {
    var groups: [[Int]] = []
    var end = Int.min
    for index in indices.sorted(by: { (schedule.times[$0].start, $0) < (schedule.times[$1].start, $1) }) {
      if schedule.times[index].start < end, !groups.isEmpty {
        groups[groups.count - 1].append(index)
      } else {
        groups.append([index])
      }
      end = max(end, schedule.times[index].end)
    }
    return groups
  }
}

extension CriticalPath.Group {
  init(_ indices: [Int], _ exchanges: [CriticalExchange], saving: Int) {
    numbers = indices.map { exchanges[$0].number }
    name = Self.name(of: indices.map { exchanges[$0] })
    self.saving = Double(saving) / 1e6
  }

  /// `12 pictures (#5 to #16)`.
  var text: String {
    let range = (numbers.min() ?? 0, numbers.max() ?? 0)
    return "\(numbers.count) \(name) (#\(range.0) to #\(range.1))"
  }

  private static func name(of exchanges: [CriticalExchange]) -> String {
    guard let first = exchanges.first else { return "" }
    return switch first.type {
    case .image: "pictures"
    case .font: "fonts"
    case .style: "style sheets"
    case .script: "scripts"
    case .media: "media files"
    case .document, .fetch, .websocket, .other:
      "\(first.method) \(RequestPlace(URLTemplate(first.url).text).text(under: nil, width: 40))"
    }
  }
}
