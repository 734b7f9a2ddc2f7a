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
  /// Exchanges that are not in the log because the filter rejected them.
  package var filteredRecords: UInt64 = 0
  /// Exchanges that are not in the log because writing failed.
  package var lostRecords: UInt64 = 0
  /// Bytes of bodies and tunnels.
  package var bytesToServer: UInt64 = 0
  package var bytesToClient: UInt64 = 0
  package var unreadTunnels = UnreadTunnels()
  /// Percentiles of the total time of exchanges, without their clients' own time and without tunnels; `nil` if there are no
  /// exchanges.
  package var p50Microseconds: Int64?
  package var p95Microseconds: Int64?
  /// The files written, in order.
  package var files: [String] = []
  /// The first error that lost data.
  package var writeError: RecorderError?
}
