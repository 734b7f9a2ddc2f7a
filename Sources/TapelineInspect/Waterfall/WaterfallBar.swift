internal import TapelineHAR

/// One exchange of a waterfall.
struct WaterfallBar: Sendable {
  let number: Int
  let method: String
  let url: String
  let outcome: String
  let outcomeStyle: TerminalStyle
  let isFailed: Bool
  /// Nanoseconds since 1970.
  let start: Int
  /// The length of the bar in milliseconds. `total` is the figure beside it: the bar also shows the client's own part.
  let time: Double
  let total: Double
  let phases: PhaseDurations

  /// `nil` when the log does not say when the exchange began.
  init?(_ entry: HAREntry, number: Int) {
    guard let start = unixNanoseconds(ofDate: entry.startedDateTime) else { return nil }
    self.start = start
    self.number = number
    method = entry.request.method.printable
    url = entry.request.url.printable
    outcome = ExchangeCell.outcome(of: entry)
    outcomeStyle = ExchangeCell.outcomeStyle(of: entry)
    isFailed = RecordedFailure(entry) != nil
    time = entry.time.isFinite ? max(0, entry.time) : 0
    total = entry.total.isFinite ? max(0, entry.total) : 0
    phases = PhaseDurations(entry)
  }

  /// Nanoseconds since 1970.
  var end: Int { start.addingSaturating(Int(saturating: min(time, 1e12) * 1e6)) }
}
