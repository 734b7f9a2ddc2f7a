internal import Synchronization
package import TapelineCore
internal import TapelineRedaction

/// Takes finished exchanges from many threads and writes them to a HAR on disk, on its own thread.
///
/// The front of four parts: a `RecorderInlet` on each loop, which makes small entries; `RecorderQueue`, into which the loops put
/// exchanges and entries without ever waiting; `RecorderThread`; and `RecorderWorker`, which lives on that thread alone and owns
/// the file.
package final class Recorder: Sendable {
  /// The title of the first page as it is in the log: a command line without its secrets.
  package let title: String
  private let configuration: RecorderConfiguration
  private let key = RedactionKey.ofProcess()
  private let queue: RecorderQueue
  private let board = CounterBoard()
  private let trafficBoard = TrafficBoard()
  private let state: Mutex<State>

  private enum State: ~Copyable {
    case running(RecorderThread)
    case finished(RecorderSummary)
  }

  /// Makes the file and starts the thread.
  package init(configuration: RecorderConfiguration) throws(RecorderError) {
    let queue = RecorderQueue(limit: configuration.queueLimit, overload: configuration.overload)
    let worker = try RecorderWorker(
      configuration: configuration, key: key, queue: queue, board: board, traffic: trafficBoard)
    self.configuration = configuration
    self.queue = queue
    title = worker.title
    state = Mutex(.running(try RecorderThread(running: worker)))
  }

  /// A way in for one loop, or another thread that hands over exchanges.
  package func inlet() -> RecorderInlet {
    RecorderInlet(queue: queue, configuration: configuration, key: key)
  }

  /// Closes the file and begins the next: `FILE-001.har`, `FILE-002.har`, … Exchanges handed over before are in the old one.
  package func rotate() {
    queue.requestRotation()
  }

  /// Begins a page: exchanges whose request begins from now on belong to the page.
  ///
  /// - Returns: the page's `id`.
  package func beginPage(title: String) -> String {
    queue.beginPage(title: title).text
  }

  /// Writes into the current file what the clients did without us. The last call holds.
  package func note(bypassed connections: [BypassedConnections]) {
    _ = queue.put(.note(bypassed: connections))
  }

  /// Writes the network that the user has chosen into each file from now on. The last call holds.
  package func note(_ network: RecordedNetwork) {
    _ = queue.put(.noteNetwork(network))
  }

  /// Writes into the log that the process has crashed, and what that has cost.
  package func note(_ crash: RecordedCrash) {
    _ = queue.put(.tell(crash))
  }

  /// Copies the current file: the copy has every exchange that was handed over before.
  ///
  /// Blocks the calling thread, while recording goes on. A file at `path` is replaced atomically, unless it is the capture
  /// itself.
  ///
  /// - Parameter inFlight: gives the exchanges that have not ended; the copy has them too. Called once, on this thread. Exchanges
  ///   that are handed over meanwhile are in the copy as they ended.
  package func snapshot(
    to path: String, inFlight: () -> [ExchangeRecord] = { [] }
  ) throws(RecorderError) -> RecorderSnapshot {
    try source(inFlight: inFlight).copy(to: path)
  }

  /// The current file at this moment, for a reader: it has every exchange that was handed over before.
  ///
  /// Blocks the calling thread, while recording goes on.
  ///
  /// - Parameter inFlight: as for `snapshot`.
  package func source(inFlight: () -> [ExchangeRecord] = { [] }) throws(RecorderError) -> SnapshotSource {
    try requestSource(inFlight: inFlight).wait()
  }

  /// The same for a thread that has more to do than to wait for a disk.
  package func requestSource(inFlight: () -> [ExchangeRecord] = { [] }) throws(RecorderError) -> SnapshotRequest {
    let request = SnapshotRequest()
    guard queue.put(.expect(request)), queue.put(.snapshot(request, inFlight: inFlight())) else { throw .finished }
    return request
  }

  /// The totals of the capture so far.
  package var counters: RecorderCounters { board.counters }

  /// The traffic recorded so far.
  package var traffic: TrafficStatistics { trafficBoard.traffic }

  /// The exchanges that wait to be written.
  package var backlog: RecorderBacklog { queue.backlog }

  /// Writes the waiting exchanges, closes the file and ends the thread. Later calls give the same summary.
  package func finish() -> RecorderSummary {
    state.withLock { state in
      switch consume state {
      case .running(let thread):
        queue.close()
        let summary = thread.join()
        state = .finished(summary)
        return summary
      case .finished(let summary):
        state = .finished(summary)
        return summary
      }
    }
  }
}
