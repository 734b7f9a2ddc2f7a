package import TapelineTime

/// A proxy's activity at a moment.
package struct ProxyActivity: Sendable, Hashable {
  /// Requests that have begun and are not recorded yet, except those in `openTunnels`. Opening a tunnel counts as a request, and
  /// so does the TLS handshake in it.
  package var inFlight = 0
  /// The part of `inFlight` whose response has begun and is a stream, which ends when one side has had enough of it.
  package var streams = 0
  /// Tunnels whose bytes are relayed as they are, and connections that have switched protocols.
  package var openTunnels = 0
  package var clientConnections = 0
  /// Requests that have begun since the start.
  package var begun: UInt64 = 0
  /// When `inFlight`, `streams` or `openTunnels` changed last; `nil` when nothing has happened yet.
  package var lastChange: MonotonicInstant?

  package init() {}
}
