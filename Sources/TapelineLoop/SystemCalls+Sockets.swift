internal import CTapeline
internal import Glibc

extension SystemCalls {
  /// Takes a connection that waits; `nil` when none does.
  static func accept(_ listener: Int32) throws(SystemCallError) -> (descriptor: Int32, peer: SocketAddress)? {
    var peer = tapeline_address()
    while true {
      let result = unsafe tapeline_accept(listener, &peer)
      if result >= 0 { return (result, SocketAddress(peer)) }
      switch -result {
      case EINTR, ECONNABORTED: continue
      case EAGAIN: return nil
      default:
        precondition(result != -EBADF, "a listener was used after its close")
        throw SystemCallError(code: -result, call: .accept)
      }
    }
  }

  /// Begins to connect a non-blocking socket. `.wouldBlock`: under way, writability tells when it is decided.
  static func connect(_ socket: Int32, to address: SocketAddress) throws(SystemCallError) -> IOResult {
    var name = address.fenced
    let result = unsafe tapeline_connect(socket, &name)
    if result >= 0 { return .done(0) }
    precondition(result != -EBADF, "a socket was used after its close")
    // An interrupted connect goes on by itself, like one in progress (POSIX connect).
    if result == -EINPROGRESS || result == -EINTR { return .wouldBlock }
    throw SystemCallError(code: -result, call: .connect)
  }

  /// Throws the error that decided a connect in progress, if one did.
  static func checkConnected(_ socket: Int32) throws(SystemCallError) {
    var code: Int32 = 0
    _ = try retrying(.getsockopt) { unsafe tapeline_take_socket_error(socket, &code) }
    guard code == 0 else { throw SystemCallError(code: code, call: .connect) }
  }

  /// Sends FIN.
  static func shutdownOutput(_ socket: Int32) throws(SystemCallError) {
    _ = try retrying(.shutdown) { tapeline_shutdown(socket, Int32(SHUT_WR)) }
  }

  static func localAddress(of socket: Int32) throws(SystemCallError) -> SocketAddress {
    var address = tapeline_address()
    _ = try retrying(.getsockname) { unsafe tapeline_local_address(socket, &address) }
    return SocketAddress(address)
  }

  static func peerAddress(of socket: Int32) throws(SystemCallError) -> SocketAddress {
    var address = tapeline_address()
    _ = try retrying(.getpeername) { unsafe tapeline_peer_address(socket, &address) }
    return SocketAddress(address)
  }

  static func tcpInfo(of socket: Int32) throws(SystemCallError) -> TCPInfo {
    var info = tapeline_tcp_info()
    _ = try retrying(.getsockopt) { unsafe tapeline_tcp_info(socket, &info) }
    return TCPInfo(info)
  }

  /// Has the kernel ask a peer that is silent whether it still lives: nobody else does (RFC 9293 3.8.4). After a minute of silence, and given
  /// up two minutes later.
  static func keepAlive(_ socket: Int32) throws(SystemCallError) {
    _ = try retrying(.setsockopt) { tapeline_set_keep_alive(socket, 60, 15, 8) }
  }

  /// Makes `close` send RST.
  static func resetOnClose(_ socket: Int32) throws(SystemCallError) {
    _ = try retrying(.setsockopt) { tapeline_set_reset_on_close(socket) }
  }
}
