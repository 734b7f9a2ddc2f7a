internal import TapelineHAR

/// An exchange that a rule fails for.
package struct Offender: Sendable, Hashable {
  /// Something of the exchange that the rule looks at.
  package struct Fact: Sendable, Hashable {
    package let name: String
    package let text: String
  }

  /// The place of the exchange in its file, from 1.
  package let number: Int
  package let method: String
  package let url: String
  package let status: Int
  package let facts: [Fact]

  init(_ entry: HAREntry, number: Int, facts: [Fact]) {
    self.number = number
    method = entry.request.method
    url = entry.request.url
    status = entry.response.status
    self.facts = facts
  }
}

/// The few exchanges that a rule names, out of all that it fails for.
struct OffenderList: Sendable {
  /// The exchanges to name.
  enum Ranking: Hashable, Sendable {
    case first
    case largest
    case smallest
  }

  private var ranked: [(rank: Double, offender: Offender)] = []
  /// The number of all offenders.
  private(set) var count = 0
  /// The same for each page, by the page's title, else its id.
  private(set) var pages: [String: OffenderList] = [:]
  private let limit: Int
  private let ranking: Ranking

  init(limit: Int, ranking: Ranking = .first) {
    self.limit = limit
    self.ranking = ranking
  }

  var offenders: [Offender] { ranked.map(\.offender) }

  /// - Parameter facts: called only if the exchange is one of those to name.
  mutating func add(_ entry: HAREntry, number: Int, rank: Double = 0, facts: () -> [Offender.Fact]) {
    var made: [Offender.Fact]?
    func once() -> [Offender.Fact] {
      let known = made ?? facts()
      made = known
      return known
    }
    name(entry, number: number, rank: rank, once)
    guard let page = entry.page, pages[page] != nil || pages.count < PageCensus.limit else { return }
    pages[page, default: OffenderList(limit: limit, ranking: ranking)].name(entry, number: number, rank: rank, once)
  }

  private mutating func name(_ entry: HAREntry, number: Int, rank: Double, _ facts: () -> [Offender.Fact]) {
    count += 1
    let index = ranked.firstIndex { precedes(rank, $0.rank) } ?? ranked.endIndex
    guard index < limit else { return }
    ranked.insert((rank, Offender(entry, number: number, facts: facts())), at: index)
    if ranked.count > limit { ranked.removeLast() }
  }

  private func precedes(_ left: Double, _ right: Double) -> Bool {
    switch ranking {
    case .first: false
    case .largest: left > right
    case .smallest: left < right
    }
  }
}
