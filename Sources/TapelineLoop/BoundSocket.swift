internal import TapelineSystem

/// A TCP socket that is bound to a local address and does not listen yet.
struct BoundSocket: ~Copyable {
  private let descriptor: FileDescriptor
  /// With the actual port if port 0 was requested.
  let address: SocketAddress

  init(_ wanted: SocketAddress, reusePort: Bool) throws(LoopError) {
    do throws(SystemCallError) {
      let socket = FileDescriptor(owning: try SystemCalls.makeSocket(isIPv6: wanted.family == .ipv6))
      do throws(SystemCallError) {
        address = try Self.bind(socket.rawValue, to: wanted, reusePort: reusePort)
      } catch {
        socket.discard()
        throw error
      }
      descriptor = socket
    } catch {
      throw LoopError(error, subject: wanted.description)
    }
  }

  consuming func listen(backlog: Int32) throws(LoopError) -> FileDescriptor {
    let address = address
    let descriptor = descriptor
    do throws(SystemCallError) {
      try SystemCalls.listen(descriptor.rawValue, backlog: backlog)
    } catch {
      descriptor.discard()
      throw LoopError(error, subject: address.description)
    }
    return descriptor
  }

  private static func bind(_ socket: Int32, to wanted: SocketAddress, reusePort: Bool) throws(SystemCallError) -> SocketAddress {
    // Allows listening on a port that still has connections in TIME_WAIT.
    try SystemCalls.setReuseAddress(socket)
    if reusePort { try SystemCalls.setReusePort(socket) }
    // `[::]` in addition to `0.0.0.0`, not instead of it.
    if wanted.family == .ipv6 { try SystemCalls.setIPv6Only(socket) }
    // Linux passes these options on to accepted sockets: one call here instead of one per connection.
    try SystemCalls.setNoDelay(socket)
    try SystemCalls.keepAlive(socket)
    try SystemCalls.bind(socket, to: wanted.fenced)
    return try SystemCalls.localAddress(of: socket)
  }
}
