internal import TapelineHAR

/// The few exchanges that took longest.
package struct SlowestExchanges: Sendable {
  package struct Exchange: Sendable, Hashable {
    /// The place in the file, from 1.
    package let number: Int
    package let method: String
    package let url: String
    package let status: Int
    /// The status as in tables: `200`, `200!`, `ERR`, `END`.
    package let outcome: String
    /// In milliseconds, without the client's own part.
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

  mutating func add(_ entry: HAREntry, number: Int) {
    let total = entry.total
    if exchanges.count >= limit {
      guard let last = exchanges.last, total > last.total else { return }
      exchanges.removeLast()
    }
    // TLS is a part of connecting, and is named if it is the larger part.
    let longest = PhaseDurations(entry).withoutClient.longest ?? (phase: .wait, milliseconds: 0)
    let exchange = Exchange(
      number: number, method: entry.request.method, url: entry.request.url, status: entry.response.status,
      outcome: ExchangeCell.outcome(of: entry), total: total, longest: longest.phase, longestDuration: longest.milliseconds)
    let index = exchanges.firstIndex { $0.total < total } ?? exchanges.endIndex
    exchanges.insert(exchange, at: index)
  }
}
