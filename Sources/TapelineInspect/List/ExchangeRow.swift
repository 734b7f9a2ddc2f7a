/// What `list` shows of one exchange.
package struct ExchangeRow: Sendable {
  /// The place of the exchange in its file, from 1.
  package var number: Int
  /// As the log has it, ISO 8601.
  package var startedDateTime: String
  package var method: String
  package var url: String
  package var outcome: Outcome
  /// Octets of the bodies on the wire; `nil` where the log does not know.
  package var sent: Int?
  package var received: Int?
  package var phases: PhaseDurations
  /// In milliseconds.
  package var total: Double

  package enum Outcome: Sendable, Hashable {
    case status(Int)
    /// The exchange ended without a complete answer: the status line may have come (`status`) or not (`nil`).
    case failed(status: Int?)
  }

  package init(
    number: Int, startedDateTime: String, method: String, url: String, outcome: Outcome, sent: Int?, received: Int?,
    phases: PhaseDurations, total: Double
  ) {
    self.number = number
    self.startedDateTime = startedDateTime
    self.method = method
    self.url = url
    self.outcome = outcome
    self.sent = sent
    self.received = received
    self.phases = phases
    self.total = total
  }

  /// The time of day in `startedDateTime`, as written there: `03:04:05`, or `03:04:05.678` when `milliseconds` are asked for.
  func timeOfDay(milliseconds: Bool) -> String {
    guard let separator = startedDateTime.firstIndex(of: "T") else { return "-" }
    let time = startedDateTime[startedDateTime.index(after: separator)...].prefix { $0.isNumber || $0 == ":" || $0 == "." }
    let seconds = time.prefix(8)
    guard milliseconds else { return String(seconds) }
    let fraction = time.dropFirst(8).prefix(4)
    return seconds + (fraction.isEmpty ? "." : fraction) + String(repeating: "0", count: 4 - max(1, fraction.count))
  }
}
