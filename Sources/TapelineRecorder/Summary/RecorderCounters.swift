internal import Synchronization

/// What a capture has come to so far.
package struct RecorderCounters: Sendable, Hashable {
  /// As in `RecorderSummary`.
  package let exchanges: UInt64
  package let failures: UInt64
  package let droppedBodies: UInt64
  package let droppedRecords: UInt64
  package let filteredRecords: UInt64
  package let lostRecords: UInt64
  package let unreadTunnels: UnreadTunnels
  /// The file that is being written.
  package let file: String
  package let fileSize: Int
  package let fileEntries: UInt64
  /// How many files there are.
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

/// Where the recorder's thread shows the counters, once per batch, to whoever asks.
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
