internal import Synchronization
internal import TapelineCore
internal import TapelineSystem

/// The totals of a capture.
package struct RecorderSummary: Sendable, Hashable {
  /// Exchanges that the recorder accepted, including those it could not write; `droppedRecords` are not included.
  package var exchanges: UInt64 = 0
  /// Those of the `exchanges` that failed.
  package var failures: UInt64 = 0
  /// Exchanges that are in the log without their bodies because the queue was full.
  package var droppedBodies: UInt64 = 0
  /// Exchanges that are not in the log because the queue was full.
  package var droppedRecords: UInt64 = 0
  /// Exchanges that were held back until the recorder had caught up.
  package var waitedRecords: UInt64 = 0
  /// Exchanges that are not in the log because the filter rejected them.
  package var filteredRecords: UInt64 = 0
  /// Exchanges that are not in the log because writing failed.
  package var lostRecords: UInt64 = 0
  /// Bytes of bodies and tunnels.
  package var bytesToServer: UInt64 = 0
  package var bytesToClient: UInt64 = 0
  package var unreadTunnels = UnreadTunnels()
  /// Percentiles of the total time of answered exchanges, without their clients' own time; `nil` if there are none.
  package var p50Microseconds: Int64?
  package var p95Microseconds: Int64?
  /// The files written, in order.
  package var files: [String] = []
  /// The first error that lost data.
  package var writeError: RecorderError?
}

extension RecorderSummary {
  /// A crash leaves the totals to the next start.
  func keep() {
    ProcessRestart.keep(exchanges, as: .exchanges)
    ProcessRestart.keep(failures, as: .failures)
    ProcessRestart.keep(droppedBodies, as: .droppedBodies)
    ProcessRestart.keep(droppedRecords, as: .droppedRecords)
    ProcessRestart.keep(waitedRecords, as: .waitedRecords)
    ProcessRestart.keep(filteredRecords, as: .filteredRecords)
    ProcessRestart.keep(bytesToServer, as: .bytesToServer)
    ProcessRestart.keep(bytesToClient, as: .bytesToClient)
  }
}

/// The totals of a capture so far.
package struct RecorderCounters: Sendable, Hashable {
  /// As in `RecorderSummary`.
  package let exchanges: UInt64
  package let failures: UInt64
  package let droppedBodies: UInt64
  package let droppedRecords: UInt64
  package let waitedRecords: UInt64
  package let filteredRecords: UInt64
  package let lostRecords: UInt64
  package let unreadTunnels: UnreadTunnels
  /// The current file.
  package let file: String
  package let fileSize: Int
  package let fileEntries: UInt64
  /// How many files the capture has so far.
  package let files: Int
  /// The `id` of the current page.
  package let page: String
  package let writeError: RecorderError?

  init(_ summary: RecorderSummary, fileSize: Int, fileEntries: UInt64, page: String) {
    exchanges = summary.exchanges
    failures = summary.failures
    droppedBodies = summary.droppedBodies
    droppedRecords = summary.droppedRecords
    waitedRecords = summary.waitedRecords
    filteredRecords = summary.filteredRecords
    lostRecords = summary.lostRecords
    unreadTunnels = summary.unreadTunnels
    file = summary.files.last ?? ""
    files = summary.files.count
    writeError = summary.writeError
    self.fileSize = fileSize
    self.fileEntries = fileEntries
    self.page = page
  }
}

/// The counters for other threads to read; the recorder's thread updates them once per batch.
final class CounterBoard: Sendable {
  private let shown = Mutex<RecorderCounters?>(nil)

  func publish(_ counters: RecorderCounters) {
    shown.withLock { $0 = counters }
  }

  var counters: RecorderCounters {
    guard let counters = shown.withLock({ $0 }) else {
      preconditionFailure("the worker publishes before anybody has the recorder")
    }
    return counters
  }
}

/// Collects the counts for the summary, on the recorder's thread.
struct StatisticsCollector {
  /// The traffic counts; other threads read them too.
  private let board: TrafficBoard
  private var droppedBodies = StatisticsCollector.kept(.droppedBodies)
  private var droppedRecords = StatisticsCollector.kept(.droppedRecords)
  private var filteredRecords = StatisticsCollector.kept(.filteredRecords)

  /// From before a crash, if there was one.
  static func kept(_ word: ProcessRestart.Word) -> UInt64 {
    ProcessRestart.lastCrash == nil ? 0 : UInt64(bitPattern: ProcessRestart.word(word))
  }

  init(board: TrafficBoard) {
    self.board = board
  }

  func count(_ exchange: ExchangeCounts) {
    board.count(exchange)
  }

  mutating func count(droppedBodies: UInt64, droppedRecords: UInt64) {
    self.droppedBodies += droppedBodies
    self.droppedRecords += droppedRecords
  }

  mutating func countFiltered() {
    filteredRecords += 1
  }

  /// The summary so far, without the percentiles, which are slow to compute.
  func counts(files: [String], lostRecords: UInt64, writeError: RecorderError?) -> RecorderSummary {
    let traffic = board.traffic
    var summary = RecorderSummary()
    summary.exchanges = traffic.exchanges
    summary.failures = traffic.failures
    summary.droppedBodies = droppedBodies
    summary.droppedRecords = droppedRecords
    summary.waitedRecords = traffic.waited
    summary.filteredRecords = filteredRecords
    summary.lostRecords = lostRecords
    summary.bytesToServer = traffic.bytesToServer
    summary.bytesToClient = traffic.bytesToClient
    summary.unreadTunnels = traffic.unreadTunnels
    summary.files = files
    summary.writeError = writeError
    return summary
  }

  /// The summary so far.
  func summary(files: [String], lostRecords: UInt64, writeError: RecorderError?) -> RecorderSummary {
    var summary = counts(files: files, lostRecords: lostRecords, writeError: writeError)
    let latency = board.traffic.latency
    summary.p50Microseconds = latency.percentile(50)
    summary.p95Microseconds = latency.percentile(95)
    return summary
  }
}
