package import TapelineTLS
package import TapelineTransport

/// The proxy's demands on a transport besides carrying tasks. Loop-bound.
package protocol ProxyTransport: Transport {
  /// Whether exchanges inside a tunnel use the connection that was made when the tunnel opened. If not, `detach` returns none.
  var keepsConnections: Bool { get }
  /// The buffer into which each receive on any of the loop's TLS connections is decrypted.
  var plaintextBuffer: PlaintextBuffer { get }
  /// Takes the connection from a stream task that is open and has moved no byte. The task completes later in this turn of the
  /// loop. For any other task, the result is `nil`, and nothing happens.
  func detach(_ task: SessionTask) -> DetachedStream?
  /// Closes idle connections. Busy connections end with their tasks.
  func shutdown()
}

extension NetworkTransport: ProxyTransport {
  package var keepsConnections: Bool { true }
}
