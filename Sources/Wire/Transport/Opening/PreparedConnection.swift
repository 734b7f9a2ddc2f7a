internal import TapelineLoop
package import TapelineTLS

/// The connection and the metrics of a stream that was given up before it moved a byte.
package struct DetachedStream: Sendable {
  /// `nil` where the transport keeps no connections.
  package let connection: PreparedConnection?
  /// How the connection was opened.
  package let metrics: TaskMetrics

  package init(connection: PreparedConnection?, metrics: TaskMetrics) {
    self.connection = connection
    self.metrics = metrics
  }
}

/// An open connection to an origin that has carried no byte: one task opened it, and another one will use it.
///
/// It goes with the request that is to use it. It closes when that request is dropped, when the peer closes or speaks, or when it
/// has waited for too long. Loop-bound, even if another thread holds it.
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

  /// The connection's route, as far as it is decided.
  package var route: Route { connection.value.route }

  /// Whether a task may still use the connection, if only to be told why its TLS failed.
  package var isUsable: Bool { connection.value.isPrepared }

  /// Whether the origin has ended the connection, and another connection would fare no better.
  package var isLost: Bool { !isUsable && !connection.value.refusedHTTP1 }

  /// Begins the TLS handshake now rather than on first use, and follows the client's own handshake. Call it once.
  package func startTLS(serverName: String, following handshake: ClientHandshake? = nil) {
    connection.value.secureEarly(serverName: serverName, following: handshake)
  }

  /// Begins to speak HTTP/2 now rather than on first use, without TLS.
  package func startHTTP2() {
    connection.value.prepareSharedInClear()
  }

  /// Called once, on the loop, when the peer ends the connection before it was used. Not called when TLS fails: the first task is
  /// told that.
  package var onPeerEnd: (() -> Void)? {
    get { connection.value.setUp?.onPeerEnd }
    set { connection.value.setUp?.onPeerEnd = newValue }
  }

  /// Whether the origin takes extended CONNECTs (RFC 8441 3), once it has said so; `nil` before.
  package var offersExtendedConnect: Bool? { connection.value.setUp?.shared?.offersExtendedConnect }

  /// Whether the origin may still say in HTTP/2 what it takes.
  package var awaitsSettings: Bool {
    isUsable && offersExtendedConnect == nil && connection.value.setUp?.shared != nil
  }

  /// Called once, on the loop, when the origin has said whether it takes extended CONNECTs, before the connection was used.
  package var onSettings: ((_ offersExtendedConnect: Bool) -> Void)? {
    get { connection.value.setUp?.onSettings }
    set { connection.value.setUp?.onSettings = newValue }
  }

  /// Called once, on the loop, when a handshake begun by `startTLS` has ended before the connection was used.
  package var onTLSEnd: ((Result<TLSParameters, TransportError>) -> Void)? {
    get { connection.value.setUp?.onTLSEnd }
    set { connection.value.setUp?.onTLSEnd = newValue }
  }

  /// Closes the connection, unless a task has it. Idempotent.
  package func close() {
    connection.value.abandonPrepared()
  }

  /// Gives the connection to a task; `nil` when it can no longer be used.
  func take() -> UpstreamConnection? {
    isUsable ? connection.value : nil
  }
}
