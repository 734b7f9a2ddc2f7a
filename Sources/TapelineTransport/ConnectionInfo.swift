package import TapelineLoop

/// Which connection an attempt used.
package struct ConnectionInfo: Sendable {
  /// Unique among the process's connections of both sides.
  package let id: UInt64
  /// The numeric address that answered, without brackets.
  package let address: String
  package let port: UInt16
  /// Whether an earlier exchange used this connection.
  package var isReused: Bool
  package var tcp: TCPInfo?
}
