internal import TapelineCoding
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineOTLP
internal import TapelineRedaction
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
  private var generator = SystemRandomNumberGenerator()

  init(_ configuration: ExportConfiguration, hostName: String?, inbox: ExportInbox) throws(HTTPParseError) {
    self.inbox = inbox
    client = try CollectorClient(configuration, attempt: configuration.limits.attempt)
    request = configuration.request(hostName: hostName)
    compressor = configuration.settings.isCompressed ? GzipCompressor(for: .speed) : nil
    redactor = configuration.redaction.map { EntryRedactor(rules: $0) }
    delivery = SpanDelivery(configuration.limits)
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
    return spans.isEmpty ? nil : EncodedSpans(spans)
  }

  /// Takes spans for which there is room, and drops others.
  func add(_ spans: EncodedSpans) {
    delivery.add(spans, at: .now)
  }

  func finish(by deadline: MonotonicInstant) {
    delivery.finish(by: deadline)
  }

  func take(_ answers: [(attempt: Int, answer: CollectorAnswer)]) {
    for (number, answer) in answers where number == attempt?.number {
      attempt = nil
      delivery.didEnd(answer, jitter: Double.random(in: 0.8...1.2, using: &generator), at: .now)
    }
  }

  /// Does what is due. Returns when to come back; `nil` if that depends on others.
  ///
  /// - Parameter isDone: set after `finish`, when nothing is left to do.
  func advance(isDone: inout Bool) -> MonotonicInstant? {
    while true {
      switch delivery.next(at: .now) {
      case .send(let batch): send(batch)
      case .cancel:
        if let attempt { client.cancel(attempt.request) }
        attempt = nil
      case .wait(let instant): return instant
      case .done:
        isDone = true
        return nil
      }
    }
  }

  private func send(_ batch: ArraySlice<EncodedSpans>) {
    let message = request.bytes(of: batch)
    attempts += 1
    let number = attempts
    attempt = (
      number,
      client.post(compressor?.compress(message) ?? message) { [inbox] answer in inbox.put(answer, to: number) }
    )
  }
}
