internal import TapelineHAR

/// The few exchanges of all that took longest.
package struct SlowestExchanges: Sendable {
  package struct Exchange: Sendable, Hashable {
    /// The place in the file, from 1.
    package let number: Int
    package let method: String
    package let url: String
    package let status: Int
    /// In milliseconds.
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
    if exchanges.count >= limit {
      guard let last = exchanges.last, entry.time > last.total else { return }
      exchanges.removeLast()
    }
    // TLS is a part of connecting, and is named where it is the larger part of it.
    let longest = PhaseDurations(entry.timings).longest ?? (phase: .wait, milliseconds: 0)
    let exchange = Exchange(
      number: number, method: entry.request.method, url: entry.request.url, status: entry.response.status, total: entry.time,
      longest: longest.phase, longestDuration: longest.milliseconds)
    let index = exchanges.firstIndex { $0.total < entry.time } ?? exchanges.endIndex
    exchanges.insert(exchange, at: index)
  }
}
