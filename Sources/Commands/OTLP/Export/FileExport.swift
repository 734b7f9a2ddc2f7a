package import TapelineOffline
internal import TapelineHAR
internal import TapelineHTTP
package import TapelineInspect
internal import TapelineTime

/// `tapeline export otlp`: the exchanges of captures, sent to a collector. It reads no faster than the collector takes.
package struct FileExport {
  private var configuration: ExportConfiguration
  private let filter: Query?
  private let patience: Duration

  /// How many times the limit of an attempt a batch is tried, since nothing is lost by waiting: for a minute.
  private static let patience = 6

  /// - Parameter filter: the exchanges to send; `nil` for all.
  package init(_ configuration: ExportConfiguration, filter: Query?) {
    self.configuration = configuration
    patience = configuration.limits.attempt * Self.patience
    self.configuration.limits.patience = patience
    self.filter = filter
  }

  /// Sends the exchanges of all files.
  ///
  /// - Parameter onEnd: gets the line that says what became of the spans, unless a file could not be read and there are none.
  /// - Throws: when a file cannot be read, after what was read before is sent; when spans were rejected, or nobody took them.
  package func send(_ files: [String], onEnd: (String) -> Void) throws(CommandFailure) {
    let worker: ExportWorker
    do throws(HTTPParseError) {
      worker = try ExportWorker(configuration, hostName: nil, inbox: ExportInbox(limit: 0))
    } catch {
      throw CommandFailure(
        status: .usage, what: "--otlp", why: "no request can be made of the URL",
        remedy: "write it as in RFC 3986")
    }
    var state = ExportState()
    var failure: CommandFailure?
    for file in files where failure == nil {
      do throws(CommandFailure) {
        try send(file, by: worker, &state)
      } catch {
        // Spans that came before it are sent.
        failure = error
      }
    }
    worker.finish(by: MonotonicInstant.now.advanced(by: patience))
    var taken = worker.delivery.counts.sent
    pump(worker) { delivery in
      // A collector that takes batches, however slowly, gets all of them.
      if delivery.counts.sent > taken {
        taken = delivery.counts.sent
        worker.finish(by: MonotonicInstant.now.advanced(by: patience))
      }
      return false
    }
    state.counts = worker.delivery.counts
    state.trouble = worker.delivery.trouble
    if state.counts.made > 0 || failure == nil { onEnd(ExportText.line(for: state, to: configuration.settings.url)) }
    if let failure { throw failure }
    guard state.counts.sent == state.counts.made else {
      throw CommandFailure(
        status: .unavailable, what: configuration.settings.url,
        why: "\(state.counts.made - state.counts.sent) spans did not arrive\(state.trouble.map { ": \($0.printable)" } ?? "")",
        remedy: "see that the collector listens there, and export again: spans keep their identifiers")
    }
  }

  private func send(_ path: String, by worker: ExportWorker, _ state: inout ExportState) throws(CommandFailure) {
    let source = try CaptureFile.source(path, for: .again)
    var pages: [String: SpanPage] = [:]
    for page in try CaptureFile.header(source).pages where pages[page.id] == nil { pages[page.id] = SpanPage(page) }
    worker.beginCapture()
    var capture = CaptureFile(source, parts: worker.parts, filter: filter, bringsBodiesIn: worker.parts.contains(.bodies))
    while let (number, entry) = try capture.next() {
      guard let spans = worker.spans(of: entry, number: number, page: entry.pageref.flatMap { pages[$0] }) else { continue }
      state.exchanges += 1
      pump(worker) { $0.hasRoom(for: spans) }
      worker.add(spans)
    }
  }

  /// Sends until `isEnough`, or until everything is sent or given up.
  private func pump(_ worker: ExportWorker, until isEnough: (SpanDelivery) -> Bool) {
    var isDone = false
    // Without waiting: an answer lets the next batch go.
    worker.take(worker.inbox.take(until: .now, .none).answers)
    while true {
      let due = worker.advance(isDone: &isDone)
      if isDone || isEnough(worker.delivery) { return }
      worker.take(worker.inbox.take(until: due, .none).answers)
    }
  }
}
