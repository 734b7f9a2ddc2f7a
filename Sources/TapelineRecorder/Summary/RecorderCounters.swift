internal import Synchronization

/// The totals of a capture so far.
package struct RecorderCounters: Sendable, Hashable {
  /// As in `RecorderSummary`.
  package let exchanges: UInt64
  package let failures: UInt64
  package let droppedBodies: UInt64
  package let droppedRecords: UInt64
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
