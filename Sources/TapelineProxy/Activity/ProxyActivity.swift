package import TapelineTime

/// What a proxy is doing at a moment.
package struct ProxyActivity: Sendable, Hashable {
  /// Requests that have begun and are not recorded yet, without what `openTunnels` counts. Opening a tunnel is one, and so is the TLS
  /// handshake in it.
  package var inFlight = 0
  /// Those of `inFlight` whose response has begun and is a stream, which ends when somebody has had enough of it.
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
