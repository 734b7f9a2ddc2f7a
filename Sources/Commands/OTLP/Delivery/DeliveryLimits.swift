/// The bounds of a delivery.
package struct DeliveryLimits: Sendable {
  /// A batch of this many spans is sent at once. It may be longer by the spans of one exchange.
  package var batchSpans = 2_048
  /// The same for its size in bytes, before compression.
  package var batchBytes = 1 << 20
  /// How long the first span of a smaller batch waits for others.
  package var gathering = Duration.seconds(1)
  /// The bytes of spans that wait or are on their way; further spans are dropped.
  package var queueBytes = 16 << 20
  /// How long one attempt may take.
  package var attempt = Duration.seconds(10)
  /// How long to wait after the first failure; each further failure multiplies it.
  package var firstPause = Duration.seconds(1)
  package var pauseFactor = 1.5
  /// Pauses get no longer than this, unless the collector names a longer one.
  package var longestPause = Duration.seconds(5)
  /// The longest pause that a collector can name.
  package var longestNamedPause = Duration.seconds(300)
  /// How long a batch is tried; `nil`: for as long as there is room for the spans behind it.
  package var patience: Duration?

  package init() {}
}

/// Counts of the spans: `made` is the sum of the others.
package struct DeliveryCounts: Hashable, Sendable {
  package var made = 0
  /// Taken by the collector.
  package var sent = 0
  /// Refused by the collector, in whole batches or in part.
  package var rejected = 0
  /// Given up: the queue was full, or nobody took them in time.
  package var dropped = 0
  /// Waiting, or on their way.
  package var queued = 0

  package init(made: Int = 0, sent: Int = 0, rejected: Int = 0, dropped: Int = 0, queued: Int = 0) {
    self.made = made
    self.sent = sent
    self.rejected = rejected
    self.dropped = dropped
    self.queued = queued
  }
}

/// The outcome of one attempt to send a batch.
package enum CollectorAnswer: Hashable, Sendable {
  /// The collector has the batch, without as many spans as it says.
  case accepted(rejected: Int, message: String)
  /// It does not want the batch, and will not later.
  case refused(reason: String)
  /// It, or the way to it, was not able to take the batch.
  ///
  /// - Parameter after: when the collector wants to be asked again.
  case unavailable(reason: String, after: Duration?)

  /// By OTLP's rules for HTTP: 429, 502, 503 and 504 are worth another attempt, and no other status is.
  package init(status: Int, body: [UInt8], retryAfter: Duration?) {
    switch status {
    case 200..<300:
      let response = TraceExportResponse(body)
      self = .accepted(rejected: response.rejectedSpans, message: response.message)
    case 429, 502, 503, 504: self = .unavailable(reason: "it answers \(status)", after: retryAfter)
    case _: self = .refused(reason: "it answers \(status)")
    }
  }
}
