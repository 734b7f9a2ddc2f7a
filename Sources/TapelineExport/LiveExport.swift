package import TapelineConsole
internal import Synchronization
internal import TapelineHAR
internal import TapelineHTTP
package import TapelineOTLP
internal import TapelineSystem
internal import TapelineTime

/// Exports a recording while it runs, on a thread of its own that gives way to the others.
///
/// Offering an entry never waits: what there is no room for is counted and left out.
package final class LiveExport: Sendable {
  private let configuration: ExportConfiguration
  private let inbox: ExportInbox
  private let board = Mutex(ExportState())
  private let thread = Mutex<SystemThread?>(nil)

  /// The bytes of entries that may wait for the thread: their bodies come along.
  private static let inboxLimit = 16 << 20
  /// After entries, others may come together for this long: waking up for each would cost the recorder more than the copy does.
  private static let gathering = Duration.milliseconds(50)
  /// Others need the processor more.
  private static let niceness: Int32 = 10

  /// Starts the thread. The collector need not exist yet.
  package init(_ configuration: ExportConfiguration, hostName: String) throws(CommandFailure) {
    self.configuration = configuration
    inbox = ExportInbox(limit: Self.inboxLimit)
    let worker: ExportWorker
    do throws(HTTPParseError) {
      worker = try ExportWorker(configuration, hostName: hostName, inbox: inbox)
    } catch {
      throw CommandFailure(
        status: .usage, what: "--otlp", why: "no request can be made of the URL",
        remedy: "write it as in RFC 3986")
    }
    // The thread takes the worker over.
    let box = Mutex<ExportWorker?>(worker)
    do throws(SystemCallError) {
      let started = try SystemThread(name: "tapeline-otlp", takesSignals: false) { [self] in
        SystemThread.giveWay(by: Self.niceness)
        guard let worker = box.withLock({ $0.take() }) else { return }
        run(worker)
      }
      thread.withLock { $0 = started }
    } catch {
      throw CommandFailure(
        status: .unavailable, what: "--otlp", why: "no thread can be started: \(error.text)", remedy: "raise the limit of threads"
      )
    }
  }

  /// Where the spans go.
  package var url: String { configuration.settings.url }

  /// What became of the spans so far. From any thread.
  package var state: ExportState { board.withLock { $0 } }

  /// Takes an entry as it is in the log. From any thread; never waits.
  package func offer(_ json: Span<UInt8>, page: SpanPage) {
    inbox.put(json, page)
  }

  /// Sends what is left, for a few seconds at the most, and ends the thread. Later calls give the same state.
  package func finish() -> ExportState {
    let running = thread.withLock { $0.take() }
    if let running {
      inbox.close()
      running.join()
    }
    return state
  }

  /// How long spans may take after the end of the recording: half of what an attempt may take.
  private var lastPatience: Duration { configuration.limits.attempt / 2 }

  private func run(_ worker: ExportWorker) {
    var state = ExportState()
    var isEnding = false
    var isDone = false
    var pause: MonotonicInstant?
    while true {
      let due = worker.advance(isDone: &isDone)
      state.counts = worker.delivery.counts
      state.trouble = worker.delivery.trouble
      state.queuedBytes = worker.delivery.bytes
      state.metrics = worker.metricsState
      board.withLock { $0 = state }
      if isDone { return }
      let content = inbox.take(until: due, gatheringUntil: pause)
      state.leftOut += content.leftOut
      worker.take(content.answers)
      for waiting in content.entries { state.exchanges += worker.add(waiting) ? 1 : 0 }
      pause = content.entries.isEmpty ? nil : MonotonicInstant.now.advanced(by: Self.gathering)
      if content.isLast, !isEnding {
        isEnding = true
        worker.finish(by: MonotonicInstant.now.advanced(by: lastPatience))
      }
    }
  }
}

extension ExportWorker {
  fileprivate func add(_ waiting: ExportInbox.Entry) -> Bool {
    do throws(HARReadError) {
      // Our own entries have numbers of their own.
      let entry = try HAREntry(json: waiting.json.span, parts: parts)
      guard let spans = spans(of: entry, number: 0, page: waiting.page) else { return false }
      add(spans)
      return true
    } catch {
      preconditionFailure("An entry that was written can be read")
    }
  }
}

/// What became of the spans of a capture.
package struct ExportState: Hashable, Sendable {
  package var counts = DeliveryCounts()
  /// Exchanges of which spans were made.
  package var exchanges = 0
  /// Exchanges of which none were made, because too many waited.
  package var leftOut = 0
  /// The bytes of the spans that wait.
  package var queuedBytes = 0
  /// Why spans were rejected or not sent, most recently; `nil` while everything goes well.
  package var trouble: String?
  /// `nil` if none are sent.
  package var metrics: Metrics?

  package struct Metrics: Hashable, Sendable {
    /// How often the metrics were taken, and how often they were not.
    package let sent: Int
    package let failed: Int
    /// Why they were not, most recently; `nil` when they were.
    package let trouble: String?
  }

  package init() {}
}
