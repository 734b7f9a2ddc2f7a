internal import TapelineLoop
package import TapelineTLS

/// The connection and the metrics of a stream that was given up before it moved a byte.
package struct DetachedStream: Sendable {
  /// `nil` where the transport keeps no connections.
  package let connection: PreparedConnection?
  /// How the connection came to stand.
  package let metrics: TaskMetrics

  package init(connection: PreparedConnection?, metrics: TaskMetrics) {
    self.connection = connection
    self.metrics = metrics
  }
}

/// A connection to an origin that stands and has carried no byte: one task opened it, another one is to use it.
///
/// It goes with the request that shall use it, and closes when that is dropped, when the peer closes or speaks, or when it has waited for
/// too long. Loop-bound, whoever holds it.
package final class PreparedConnection: Sendable {
  private let connection: LoopBound<UpstreamConnection>

  init(_ connection: UpstreamConnection) {
    self.connection = LoopBound(connection, on: connection.transport.loop)
  }

  deinit {
    if connection.loop.isCurrent {
      connection.value.abandonPrepared()
    } else {
      connection.loop.execute { [connection] in connection.value.abandonPrepared() }
    }
  }

  /// Where it leads, and how, as far as that is decided.
  package var route: Route { connection.value.route }

  /// Whether a task may still use it: if only to be told why its TLS failed.
  package var isUsable: Bool { connection.value.isPrepared }

  /// Begins the TLS handshake now rather than at the first use, as the client did its own. Once.
  package func startTLS(serverName: String, following handshake: ClientHandshake? = nil) {
    connection.value.secureEarly(serverName: serverName, following: handshake)
  }

  /// Called once, on the loop, when the peer ends the connection before it was used. Not when its TLS fails: the first task is told that.
  package var onPeerEnd: (() -> Void)? {
    get { connection.value.onPeerEnd }
    set { connection.value.onPeerEnd = newValue }
  }

  /// Called once, on the loop, when a handshake begun by `startTLS` has ended before the connection was used.
  package var onTLSEnd: ((Result<TLSParameters, TransportError>) -> Void)? {
    get { connection.value.onTLSEnd }
    set { connection.value.onTLSEnd = newValue }
  }

  /// Closes it, unless a task has it. Idempotent.
  package func close() {
    connection.value.abandonPrepared()
  }

  /// Gives the connection to a task; `nil` when it is not to be had any more.
  func take() -> UpstreamConnection? {
    isUsable ? connection.value : nil
  }
}
