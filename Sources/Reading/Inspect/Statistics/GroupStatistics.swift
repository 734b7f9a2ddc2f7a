internal import TapelineBase

/// The counts for a group of exchanges.
package struct GroupStatistics: Sendable {
  package private(set) var exchanges = 0
  package private(set) var failures = 0
  /// Exchanges that the client ended, which are not failures.
  package private(set) var ended = 0
  /// Bytes of bodies on the wire, if they are known.
  package private(set) var sentBytes = 0
  package private(set) var receivedBytes = 0
  package private(set) var total = Distribution()
  package private(set) var wait = Distribution()

  /// - Parameters:
  ///   - isTimed: whether its times are counted.
  ///   - waited: its phase `wait`, if that is counted here.
  mutating func add(_ exchange: some CountedExchange, isTimed: Bool, waited: Double?) {
    exchanges += 1
    if exchange.hasFailed { failures += 1 } else if exchange.isEnded { ended += 1 }
    sentBytes = sentBytes.addingSaturating(exchange.sentBytes)
    receivedBytes = receivedBytes.addingSaturating(exchange.receivedBytes)
    guard isTimed else { return }
    if let duration = exchange.total { total.add(duration) }
    if let waited { wait.add(waited) }
  }

  /// Counts the exchanges of another group too.
  mutating func add(_ other: GroupStatistics) {
    exchanges += other.exchanges
    failures += other.failures
    ended += other.ended
    sentBytes = sentBytes.addingSaturating(other.sentBytes)
    receivedBytes = receivedBytes.addingSaturating(other.receivedBytes)
    total.add(other.total)
    wait.add(other.wait)
  }

  /// Counts exchanges, but for their `wait`.
  ///
  /// - Parameter totals: those of the exchanges whose times are counted.
  mutating func add(_ added: IndexedExchanges, totals: [Double]) {
    exchanges += added.count
    for place in 0..<added.count {
      let exchange = added[place]
      if exchange.hasFailed { failures += 1 } else if exchange.isEnded { ended += 1 }
      sentBytes = sentBytes.addingSaturating(exchange.sentBytes)
      receivedBytes = receivedBytes.addingSaturating(exchange.receivedBytes)
    }
    total.add(totals)
  }
}
