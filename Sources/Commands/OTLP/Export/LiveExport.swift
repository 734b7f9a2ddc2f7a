package import TapelineOffline
internal import Synchronization
internal import TapelineHAR
internal import TapelineHTTP
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
  private static let inboxLimit = 8 << 20
  /// The most entries that are read before answers are looked for, and the most of their bytes, more or less.
  private static let slice = (entries: 64, bytes: 1 << 18)
  /// Others need the processor more.
  private static let niceness: Int32 = 10
  /// While the machine is busy, the thread takes a 25th of one processor.
  private static let restFactor: Int64 = 24

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

  /// Counts of what became of the spans so far. From any thread.
  package var state: ExportState { board.withLock { $0 } }

  /// Takes an entry as it is in the log. From any thread; never waits.
  ///
  /// - Parameter page: called if there is room for the entry.
  package func offer(_ json: Span<UInt8>, page: () -> SpanPage) {
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
    var steps = LiveExportSteps(lastPatience: lastPatience)
    var state = ExportState()
    var reading = WaitingEntries()
    var isDone = false
    var pace = ProcessorPace(restFactor: Self.restFactor)
    while true {
      let due = worker.advance(isDone: &isDone)
      publish(&state, of: worker)
      if isDone { return }
      pace.note()
      let now = MonotonicInstant.now
      switch steps.next(at: now, due: due, hasRoom: worker.hasRoom, rest: pace.rest(at: now)) {
      case .take(let until, let wish):
        var content = inbox.take(until: until, wish)
        state.leftOut += content.leftOut
        worker.take(content.answers)
        steps.didTake(wish, hasEntries: !content.entries.isEmpty, isLast: content.isLast, at: .now)
        if !content.entries.isEmpty { swap(&reading, &content.entries) }
      case .read:
        state.exchanges += read(&reading, by: worker)
        steps.didRead(areLeft: !reading.isEmpty, at: .now)
        guard reading.isEmpty else { continue }
        var read = WaitingEntries()
        swap(&read, &reading)
        inbox.giveBack(read)
      case .finish(let deadline): worker.finish(by: deadline)
      }
    }
  }

  private func publish(_ state: inout ExportState, of worker: ExportWorker) {
    state.counts = worker.delivery.counts
    state.trouble = worker.delivery.trouble
    state.queuedBytes = worker.delivery.bytes
    state.metrics = worker.metricsState
    board.withLock { [state] in $0 = state }
  }

  /// Makes spans of a few entries; says of how many exchanges.
  private func read(_ entries: inout WaitingEntries, by worker: ExportWorker) -> Int {
    var (count, exchanges, bytes) = (0, 0, 0)
    while count < Self.slice.entries, bytes < Self.slice.bytes,
      let isMade = entries.read({ json, page in
        bytes += json.count
        return worker.add(json, page)
      })
    {
      count += 1
      exchanges += isMade ? 1 : 0
    }
    return exchanges
  }
}

extension ExportWorker {
  fileprivate func add(_ json: Span<UInt8>, _ page: SpanPage) -> Bool {
    do throws(HARReadError) {
      // Our own entries have numbers of their own.
      let entry = try HAREntry(json: json, parts: parts)
      guard let spans = spans(of: entry, number: 0, page: page) else { return false }
      add(spans)
      return true
    } catch {
      preconditionFailure("An entry that was written can be read")
    }
  }
}

/// Counts of what became of the spans of a capture.
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
