internal import TapelineCore

/// Collects the counts for the summary, on the recorder's thread.
struct StatisticsCollector {
  /// The traffic counts; other threads read them too.
  private let board: TrafficBoard
  private var droppedBodies: UInt64 = 0
  private var droppedRecords: UInt64 = 0
  private var filteredRecords: UInt64 = 0

  init(board: TrafficBoard) {
    self.board = board
  }

  func count(_ record: borrowing ExchangeRecord, totalMicroseconds: Int64) {
    board.count(record, totalMicroseconds: totalMicroseconds)
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
