package import TapelineTLS
package import TapelineTransport

/// What the proxy wants of a transport besides carrying tasks. Loop-bound.
package protocol ProxyTransport: Transport {
  /// Whether exchanges inside a tunnel go by the connection that opening it has made. If not, `detach` gives none.
  var keepsConnections: Bool { get }
  /// What one receive of any of the loop's TLS connections decrypts into.
  var plaintextBuffer: PlaintextBuffer { get }
  /// Takes the connection from a stream task that stands and has moved no byte. The task completes later in this turn of the loop. `nil`,
  /// and nothing happens, when the task is not such a one.
  func detach(_ task: SessionTask) -> DetachedStream?
  /// Closes what idles. Busy connections end with their tasks.
  func shutdown()
}

extension NetworkTransport: ProxyTransport {
  package var keepsConnections: Bool { true }
}
