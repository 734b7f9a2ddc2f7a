internal import TapelineTime

/// The upstream connections that belong to one client connection. They stay open only while the client keeps its own open.
///
/// A client that opens a connection pays for a connection to the origin. If it keeps its connection, it finds the origin's kept,
/// as it would without a proxy between them. A connection to a proxy can carry requests to several origins: each route has a
/// place here.
///
/// Safety: `@unchecked Sendable` because a request, which any thread may hold, refers to it. Everything in it is touched only on
/// the loop of the client connection.
package final class PairedConnections: ConnectionStore, @unchecked Sendable {
  /// The client's own TLS handshake, which the handshake with the origin follows. `nil` until it has taken place.
  package var handshake: ClientHandshake?
  /// Called when the peer has ended an idle connection and no other one is left.
  package var onLastEnd: (() -> Void)?

  /// Oldest first; rarely more than one.
  private var idle: [UpstreamConnection] = []
  private var isOpen = true

  /// The most routes that idle. A client that goes on to other origins on the same connection holds no more than this many.
  private static let limit = 16

  package init() {}

  /// Whether no connection idles here.
  package var isEmpty: Bool { idle.isEmpty }

  /// The client's connection has ended: idle connections end now, busy ones when their exchange is over.
  package func close() {
    isOpen = false
    onLastEnd = nil
    let connections = idle
    idle = []
    for connection in connections { connection.close() }
  }

  func take(for route: Route, at now: MonotonicInstant) -> UpstreamConnection? {
    guard let index = idle.lastIndex(where: { $0.route == route }) else { return nil }
    return idle.remove(at: index)
  }

  func put(_ connection: UpstreamConnection, at now: MonotonicInstant) {
    guard isOpen else { return connection.close() }
    idle.append(connection)
    if idle.count > Self.limit { idle.removeFirst().close() }
  }

  func peerDidEnd(_ connection: UpstreamConnection) {
    idle.removeAll { $0 === connection }
    if idle.isEmpty { onLastEnd?() }
  }
}
