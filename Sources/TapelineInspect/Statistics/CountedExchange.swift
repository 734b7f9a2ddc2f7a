internal import TapelineHAR

/// What the statistics ask of an exchange: of an entry, or of its row in an index, which must give the same figures.
protocol CountedExchange {
  /// A tunnel that was established and not read: its lifetime says nothing about how fast anything was.
  var isTunnel: Bool { get }
  var hasFailed: Bool { get }
  /// Whether the client ended it.
  var isEnded: Bool { get }
  /// Bytes of bodies on the wire; 0 if they are not known.
  var sentBytes: Int { get }
  var receivedBytes: Int { get }
  /// In milliseconds, without the client's own part.
  var total: Double { get }
  var durations: PhaseDurations { get }
  var status: Int { get }
  /// What the proxy added to either message, in milliseconds; `nil` or not a number in other programs' logs.
  var requestOverhead: Double? { get }
  var responseOverhead: Double? { get }

  // Few exchanges are asked for these texts.

  /// Status and reason: `404 Not Found`.
  var statusLine: String { get }
  /// The side at fault, the error and the phase, as far as the log has them.
  var failure: String { get }
  /// The status as in tables: `200`, `200!`, `ERR`, `END`.
  var outcome: String { get }
  var method: String { get }
  var url: String { get }
}

/// An entry as the statistics see it.
struct CountedEntry: CountedExchange {
  let entry: HAREntry
  private let recordedFailure: RecordedFailure?

  init(_ entry: HAREntry) {
    self.entry = entry
    recordedFailure = RecordedFailure(entry)
  }

  var isTunnel: Bool { entry.request.asksForTunnel && entry.custom["_tunnel"] != nil }
  var hasFailed: Bool { recordedFailure != nil }
  var isEnded: Bool { RecordedEnd(entry) != nil }
  var sentBytes: Int { max(0, entry.request.bodySize) }
  var receivedBytes: Int { max(0, entry.response.bodySize) }
  var total: Double { entry.total }
  var durations: PhaseDurations { PhaseDurations(entry) }
  var status: Int { entry.response.status }
  var requestOverhead: Double? { entry.custom["_overhead"]?["request"]?.double }
  var responseOverhead: Double? { entry.custom["_overhead"]?["response"]?.double }
  var statusLine: String { Self.statusLine(status, entry.response.statusText) }
  var failure: String { recordedFailure.map { $0.facts ?? $0.message } ?? "" }
  var outcome: String { ExchangeCell.outcome(of: entry) }
  var method: String { entry.request.method }
  var url: String { entry.request.url }

  static func statusLine(_ status: Int, _ text: String) -> String {
    text.isEmpty ? String(status) : "\(status) \(text)"
  }
}
