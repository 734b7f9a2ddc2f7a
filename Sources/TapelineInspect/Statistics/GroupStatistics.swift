internal import TapelineHAR

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

  mutating func add(_ entry: HAREntry) {
    exchanges += 1
    if RecordedFailure(entry) != nil { failures += 1 } else if RecordedEnd(entry) != nil { ended += 1 }
    sentBytes = sentBytes.addingSaturating(max(0, entry.request.bodySize))
    receivedBytes = receivedBytes.addingSaturating(max(0, entry.response.bodySize))
    total.add(entry.total)
    wait.add(entry.timings.wait)
  }
}
