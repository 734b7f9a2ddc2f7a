package import TapelineSystem

/// The sockets that a new network needs before any program is in it. They are made inside, and used outside.
package enum NamespaceSockets {
  /// Listens on a free port of all addresses, and for every other address and port whose packets are brought here.
  package static func listener(
    _ family: SocketAddress.Family
  ) throws(SystemCallError) -> (socket: Int32, address: SocketAddress) {
    let socket = try SystemCalls.makeSocket(isIPv6: family == .ipv6)
    do throws(SystemCallError) {
      try SystemCalls.setTransparent(socket, isIPv6: family == .ipv6)
      let address = try BoundSocket.bind(socket, to: family.unspecified, reusePort: false)
      try SystemCalls.listen(socket, backlog: backlog)
      return (socket, address)
    } catch {
      SystemCalls.discard(socket)
      throw error
    }
  }

  private static let backlog: Int32 = 1024

  /// Receives what is sent to port 53 of any address, and can answer from it.
  package static func nameQuestions(_ family: SocketAddress.Family) throws(SystemCallError) -> Int32 {
    let isIPv6 = family == .ipv6
    let socket = try SystemCalls.makeDatagramSocket(isIPv6: isIPv6)
    do throws(SystemCallError) {
      if isIPv6 { try SystemCalls.setIPv6Only(socket) }
      try SystemCalls.setTransparent(socket, isIPv6: isIPv6)
      try SystemCalls.tellDestinations(of: socket, isIPv6: isIPv6)
      try SystemCalls.bind(socket, to: family.unspecified.with(port: 53).fenced)
      return socket
    } catch {
      SystemCalls.discard(socket)
      throw error
    }
  }
}

extension SocketAddress.Family {
  /// All addresses of this machine, with port 0.
  fileprivate var unspecified: SocketAddress {
    guard let address = SocketAddress(literal: self == .ipv4 ? "0.0.0.0" : "::", port: 0) else {
      preconditionFailure("both are literals")
    }
    return address
  }
}
