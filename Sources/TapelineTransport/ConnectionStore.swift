internal import TapelineTime

/// Keeps upstream connections that idle between exchanges, and hears of it when one of them ends. Loop-bound.
///
/// There are two: `ConnectionPool`, which all tasks of a loop share, and `PairedConnections`, which belong to one client
/// connection.
protocol ConnectionStore: AnyObject {
  /// An idle connection to `route`, taken out of the store.
  func take(for route: Route, at now: MonotonicInstant) -> UpstreamConnection?
  /// Keeps a connection whose exchange ended exactly at its framing.
  func put(_ connection: UpstreamConnection, at now: MonotonicInstant)
  /// Forgets a connection that its peer ended while it was idle.
  func peerDidEnd(_ connection: UpstreamConnection)
}
