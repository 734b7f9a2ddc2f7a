internal import TapelineHAR

/// An exchange as the statistics see it: an entry, or its row in an index, which must give the same figures.
protocol CountedExchange {
  var hasFailed: Bool { get }
  var course: ExchangeCourse { get }
  /// Whether the client ended it.
  var isEnded: Bool { get }
  /// Bytes of bodies on the wire; 0 if they are not known.
  var sentBytes: Int { get }
  var receivedBytes: Int { get }
  /// In milliseconds, without the client's own part and the proxy's; `nil` if it is not known.
  var total: Double? { get }
  var durations: PhaseDurations { get }
  var status: Int { get }
  /// The time that the proxy added to either message, in milliseconds; `nil` or not a number in other programs' logs.
  var requestOverhead: Double? { get }
  var responseOverhead: Double? { get }

  // Few exchanges are asked for these texts.

  /// Status and reason: `404 Not Found`.
  var statusLine: String { get }
  /// The side at fault, the error and the phase, as far as the log has them.
  var failure: String { get }
  /// The status as in tables: `200`, `200!`, `200/8`, `ERR`, `END`.
  var outcome: String { get }
  var method: String { get }
  var url: String { get }
}

/// An entry as the statistics see it. It holds no copy of the entry, which would cost more than the counting.
struct CountedEntry: CountedExchange {
  let course: ExchangeCourse
  let isEnded: Bool
  let sentBytes: Int
  let receivedBytes: Int
  let total: Double?
  let durations: PhaseDurations
  let status: Int
  let requestOverhead: Double?
  let responseOverhead: Double?
  let method: String
  let url: String
  private let statusText: String
  private let recordedFailure: RecordedFailure?
  private let isOutstanding: Bool

  init(_ entry: HAREntry) {
    isEnded = RecordedEnd(entry) != nil
    sentBytes = max(0, entry.request.bodySize)
    receivedBytes = max(0, entry.response.bodySize)
    total = entry.total
    durations = PhaseDurations(entry)
    status = entry.response.status
    let overhead = entry.custom[.overhead]
    requestOverhead = overhead?["request"]?.double
    responseOverhead = overhead?["response"]?.double
    method = entry.request.method
    url = entry.request.url
    statusText = entry.response.statusText
    recordedFailure = RecordedFailure(entry)
    isOutstanding = RecordedEnd.isOutstanding(for: entry)
    course = ExchangeCourse(entry, failure: recordedFailure, hasEnded: isEnded, isOutstanding: isOutstanding)
  }

  init(_ figures: ScannedEntry) {
    let shares = figures.timings.plausible(figures.blockedShares)
    isEnded = false
    sentBytes = max(0, figures.request.bodySize)
    receivedBytes = max(0, figures.response.bodySize)
    total = figures.timings.duration(logged: figures.time)?.less(shares)
    durations = PhaseDurations(figures.timings, shares)
    status = figures.response.status
    requestOverhead = figures.overhead.request
    responseOverhead = figures.overhead.response
    method = figures.request.method
    url = figures.request.url
    statusText = figures.response.statusText
    recordedFailure = figures.error.flatMap { RecordedFailure($0) }
    isOutstanding = false
    course = ExchangeCourse(method: method, status: status, failure: recordedFailure)
  }

  var hasFailed: Bool { recordedFailure != nil }
  var statusLine: String { Self.statusLine(status, statusText) }
  var failure: String { recordedFailure?.kindText ?? "" }
  var outcome: String { ExchangeOutcome(status: status, failure: recordedFailure, isOutstanding: isOutstanding).text }

  static func statusLine(_ status: Int, _ text: String) -> String {
    text.isEmpty ? String(status) : "\(status) \(text)"
  }
}

extension RecordedFailure {
  /// The same for all failures of a kind, as far as the log has facts.
  var kindText: String { facts ?? message }
}
