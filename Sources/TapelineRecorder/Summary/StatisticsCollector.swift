internal import Histogram
internal import TapelineCore

/// Counts what the summary says, on the recorder's thread.
struct StatisticsCollector {
  private var totals = Histogram<UInt32>(numberOfSignificantValueDigits: .two)
  private var summary = RecorderSummary()

  mutating func count(_ record: borrowing ExchangeRecord, totalMicroseconds: Int64) {
    summary.exchanges += 1
    if record.failure != nil { summary.failures += 1 }
    switch record.kind {
    case .exchange:
      summary.bytesToServer += record.requestBody.size + (record.relayed?.toServer ?? 0)
      summary.bytesToClient += record.responseBody.size + (record.relayed?.toClient ?? 0)
      totals.record(UInt64(max(0, totalMicroseconds)))
    case .tunnel(let toServer, let toClient):
      summary.bytesToServer += toServer
      summary.bytesToClient += toClient
    }
  }

  mutating func count(droppedBodies: UInt64, droppedRecords: UInt64) {
    summary.droppedBodies += droppedBodies
    summary.droppedRecords += droppedRecords
  }

  /// The summary so far, without the percentiles, which take a while.
  func counts(files: [String], lostRecords: UInt64, writeError: RecorderError?) -> RecorderSummary {
    var summary = summary
    summary.files = files
    summary.lostRecords = lostRecords
    summary.writeError = writeError
    return summary
  }

  /// The summary so far.
  func summary(files: [String], lostRecords: UInt64, writeError: RecorderError?) -> RecorderSummary {
    var summary = counts(files: files, lostRecords: lostRecords, writeError: writeError)
    if totals.totalCount > 0 {
      summary.p50Microseconds = Int64(totals.valueAtPercentile(50))
      summary.p95Microseconds = Int64(totals.valueAtPercentile(95))
    }
    return summary
  }
}
