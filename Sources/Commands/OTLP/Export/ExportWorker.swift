internal import TapelineCoding
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineRedaction
internal import TapelineSystem
internal import TapelineTime

/// Makes spans of entries and sends them. Owned by one thread, which gives it entries and time.
final class ExportWorker {
  let inbox: ExportInbox
  private let client: CollectorClient
  private let request: TraceExportRequest
  private let compressor: GzipCompressor?
  private var redactor: EntryRedactor?
  private var maker = SpanMaker()
  private(set) var delivery: SpanDelivery
  /// The attempt that is on its way, and its number.
  private var attempt: (number: Int, request: CollectorRequest)?
  private var attempts = 0
  /// `nil` if spans alone are sent.
  private var metrics: (values: RequestMetrics, delivery: MetricsDelivery)?
  private var metricsAttempt: (number: Int, request: CollectorRequest)?
  private var generator = SystemRandomNumberGenerator()

  init(_ configuration: ExportConfiguration, hostName: String?, inbox: ExportInbox) throws(HTTPParseError) {
    self.inbox = inbox
    client = try CollectorClient(configuration, attempt: configuration.limits.attempt)
    request = configuration.request(hostName: hostName)
    compressor = configuration.settings.isCompressed ? GzipCompressor(for: .speed) : nil
    redactor = configuration.redaction.map { EntryRedactor(rules: $0) }
    delivery = SpanDelivery(configuration.limits)
    if configuration.sendsMetrics {
      metrics = (
        RequestMetrics(begin: SystemClock.unixNanoseconds),
        MetricsDelivery(every: configuration.metricsInterval, attempt: configuration.limits.attempt, from: .now)
      )
    }
  }

  /// How often the metrics were sent, how often in vain, and why.
  var metricsState: ExportState.Metrics? {
    metrics.map { ExportState.Metrics(sent: $0.delivery.sent, failed: $0.delivery.failed, trouble: $0.delivery.trouble) }
  }

  /// The parts of an entry that are looked at: for secrets, all of it.
  var parts: HAREntryParts { redactor == nil ? SpanMaker.parts : .all }

  /// The spans of another capture follow.
  func beginCapture() {
    maker = SpanMaker()
  }

  /// - Parameter number: the place of the entry in its log.
  /// - Returns: `nil` if spans could not be made of the entry.
  func spans(of entry: HAREntry, number: Int, page: SpanPage?) -> EncodedSpans? {
    var (entry, page) = (entry, page)
    if redactor != nil {
      _ = redactor?.redact(&entry)
      if var title = page?.title {
        _ = redactor?.redact(title: &title)
        page?.title = title
      }
    }
    let spans = maker.spans(for: entry, number: number, page: page)
    guard let exchange = spans.first else { return nil }
    metrics?.values.add(exchange)
    return EncodedSpans(spans)
  }

  /// Takes spans for which there is room, and drops others.
  func add(_ spans: EncodedSpans) {
    delivery.add(spans, at: .now)
  }

  /// Whether further spans can wait, or are of use all the same: metrics count each exchange.
  var hasRoom: Bool { metrics != nil || delivery.hasRoom }

  func finish(by deadline: MonotonicInstant) {
    delivery.finish(by: deadline)
    let isEmpty = metrics?.values.isEmpty ?? true
    metrics?.delivery.finish(by: deadline, isEmpty: isEmpty, at: .now)
  }

  func take(_ answers: [(attempt: Int, answer: CollectorAnswer)]) {
    for (number, answer) in answers {
      if number == attempt?.number {
        attempt = nil
        delivery.didEnd(answer, jitter: Double.random(in: 0.8...1.2, using: &generator), at: .now)
      } else if number == metricsAttempt?.number {
        metricsAttempt = nil
        metrics?.delivery.didEnd(answer, at: .now)
      }
    }
  }

  /// Does what is due. Returns when to come back; `nil` if that depends on others.
  ///
  /// - Parameter isDone: set after `finish`, when nothing is left to do.
  func advance(isDone: inout Bool) -> MonotonicInstant? {
    let (spansDue, areSpansDone) = advanceSpans()
    let (metricsDue, areMetricsDone) = advanceMetrics()
    isDone = areSpansDone && areMetricsDone
    return [spansDue, metricsDue].compactMap(\.self).min()
  }

  private func advanceSpans() -> (due: MonotonicInstant?, isDone: Bool) {
    while true {
      switch delivery.next(at: .now) {
      case .send(let batch): attempt = send(request.bytes(of: batch), to: .traces)
      case .cancel:
        if let attempt { client.cancel(attempt.request) }
        attempt = nil
      case .wait(let instant): return (instant, false)
      case .done: return (nil, true)
      }
    }
  }

  private func advanceMetrics() -> (due: MonotonicInstant?, isDone: Bool) {
    while let step = metrics?.delivery.next(at: .now) {
      switch step {
      case .send:
        guard let values = metrics?.values else { return (nil, true) }
        metricsAttempt = send(request.bytes(of: values, at: SystemClock.unixNanoseconds), to: .metrics)
      case .cancel:
        if let metricsAttempt { client.cancel(metricsAttempt.request) }
        metricsAttempt = nil
      case .wait(let instant): return (instant, false)
      case .done: return (nil, true)
      }
    }
    return (nil, true)
  }

  private func send(_ message: [UInt8], to signal: CollectorClient.Signal) -> (number: Int, request: CollectorRequest) {
    attempts += 1
    let number = attempts
    let request = client.post(compressor?.compress(message) ?? message, to: signal) { [inbox] answer in
      inbox.put(answer, to: number)
    }
    return (number, request)
  }
}
