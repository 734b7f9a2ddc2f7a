internal import CTapeline
package import TapelineSystem

// The calls with addresses, using our address type instead of the kernel's.
extension SystemCalls {
  /// Accepts a waiting connection; `nil` if there is no such connection.
  static func accept(_ listener: Int32) throws(SystemCallError) -> (descriptor: Int32, peer: SocketAddress)? {
    var peer = tapeline_address()
    guard let descriptor = try accept(listener, peer: &peer) else { return nil }
    return (descriptor, SocketAddress(peer))
  }

  /// Starts to connect a non-blocking socket. `.wouldBlock`: the attempt continues, and writability tells when it is decided.
  package static func connect(_ socket: Int32, to address: SocketAddress) throws(SystemCallError) -> IOResult {
    try connect(socket, to: address.fenced)
  }

  static func localAddress(of socket: Int32) throws(SystemCallError) -> SocketAddress {
    SocketAddress(try localName(of: socket))
  }

  static func peerAddress(of socket: Int32) throws(SystemCallError) -> SocketAddress {
    SocketAddress(try peerName(of: socket))
  }

  static func tcpInfo(of socket: Int32) throws(SystemCallError) -> TCPInfo {
    TCPInfo(try tcpStatistics(of: socket))
  }
}
