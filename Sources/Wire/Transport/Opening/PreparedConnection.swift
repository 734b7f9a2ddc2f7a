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
  private let connection: LoopBound<UpstreamOpening>

  init(_ connection: UpstreamOpening) {
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
  ///
  /// - Parameter protocols: what ALPN offers without a client's handshake; `nil`: what is usual.
  package func startTLS(
    serverName: String, following handshake: ClientHandshake? = nil, offering protocols: [ApplicationProtocol]? = nil
  ) {
    connection.value.secureEarly(serverName: serverName, following: handshake, offering: protocols)
  }

  /// Begins to speak HTTP/2 now rather than on first use, without TLS.
  package func startHTTP2() {
    connection.value.prepareSharedInClear()
  }

  /// An event of the connection before a task uses it.
  package enum Event {
    /// A handshake begun by `startTLS` has ended. If it failed, the first task is told, too.
    case handshakeDidEnd(Result<TLSParameters, TransportError>)
    /// The origin has said in HTTP/2 whether it takes extended CONNECTs (RFC 8441 3).
    case settings(offersExtendedConnect: Bool)
    /// The peer has ended the connection.
    case peerDidEnd
  }

  /// Called on the loop, for each event once.
  package var onEvent: ((Event) -> Void)? {
    get { connection.value.onEvent }
    set { connection.value.onEvent = newValue }
  }

  /// Whether the origin takes extended CONNECTs (RFC 8441 3), once it has said so; `nil` before.
  package var offersExtendedConnect: Bool? { connection.value.shared?.offersExtendedConnect }

  /// Whether the origin may still say in HTTP/2 what it takes.
  package var awaitsSettings: Bool {
    isUsable && offersExtendedConnect == nil && connection.value.shared != nil
  }

  /// Closes the connection, unless a task has it. Idempotent.
  package func close() {
    connection.value.abandonPrepared()
  }

  /// Gives the connection to a task; `nil` when it can no longer be used.
  func take() -> UpstreamOpening? {
    isUsable ? connection.value : nil
  }
}
