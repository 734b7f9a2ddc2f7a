internal import TapelineTime

/// Where upstream connections idle between exchanges, and who hears of it when one ends there. Loop-bound.
///
/// There are two: `ConnectionPool`, which all tasks of a loop share, and `PairedConnections`, which belong to one client connection.
protocol ConnectionStore: AnyObject {
  /// An idle connection to `route`, idle no longer.
  func take(for route: Route, at now: MonotonicInstant) -> UpstreamConnection?
  /// Keeps a connection whose exchange ended exactly at its framing.
  func put(_ connection: UpstreamConnection, at now: MonotonicInstant)
  /// Forgets a connection that its peer ended while it was idle.
  func peerDidEnd(_ connection: UpstreamConnection)
}
