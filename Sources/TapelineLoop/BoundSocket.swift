internal import CTapeline

/// A TCP socket bound to a local address, on its way to listening.
struct BoundSocket: ~Copyable {
  private let descriptor: FileDescriptor
  /// With the real port where port 0 was asked for.
  let address: SocketAddress

  init(_ wanted: SocketAddress, reusePort: Bool) throws(LoopError) {
    do throws(SystemCallError) {
      let isIPv6 = wanted.family == .ipv6
      let socket = FileDescriptor(owning: try SystemCalls.retrying(.socket) { tapeline_socket(isIPv6) })
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
      _ = try SystemCalls.retrying(.listen) { tapeline_listen(descriptor.rawValue, backlog) }
    } catch {
      descriptor.discard()
      throw LoopError(error, subject: address.description)
    }
    return descriptor
  }

  private static func bind(_ socket: Int32, to wanted: SocketAddress, reusePort: Bool) throws(SystemCallError) -> SocketAddress {
    // Ports of connections in TIME_WAIT are free to listen on.
    _ = try SystemCalls.retrying(.setsockopt) { tapeline_set_reuse_address(socket, true) }
    if reusePort { _ = try SystemCalls.retrying(.setsockopt) { tapeline_set_reuse_port(socket, true) } }
    // `[::]` beside `0.0.0.0`, not instead of it.
    if wanted.family == .ipv6 { _ = try SystemCalls.retrying(.setsockopt) { tapeline_set_ipv6_only(socket, true) } }
    // Linux hands these on to accepted sockets: one call here instead of one per connection.
    _ = try SystemCalls.retrying(.setsockopt) { tapeline_set_no_delay(socket, true) }
    try SystemCalls.keepAlive(socket)
    var name = wanted.fenced
    _ = try SystemCalls.retrying(.bind) { unsafe tapeline_bind(socket, &name) }
    return try SystemCalls.localAddress(of: socket)
  }
}
