internal import Glibc

/// Owns one listening TCP socket on an ephemeral loopback port.
final class ListeningSocket: Sendable {
  private let descriptor: Int32
  let port: UInt16

  init(on loopback: Loopback, port wanted: UInt16 = 0, backlog: Int32) throws(TestSupportError) {
    let descriptor = socket(loopback.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw .last("socket") }
    do throws(TestSupportError) {
      var on: Int32 = 1
      guard unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
        throw .last("setsockopt")
      }
      let bound = unsafe loopback.withSocketAddress(port: wanted) { unsafe bind(descriptor, $0, $1) }
      guard bound == 0 else { throw .last("bind") }
      guard listen(descriptor, backlog) == 0 else { throw .last("listen") }
      port = try localPort(of: descriptor)
    } catch {
      _ = Glibc.close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit {
    _ = Glibc.close(descriptor)
  }

  /// Waits, without a limit, until a connection can be accepted; `false` once `stop` was called.
  func waitForConnection() -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      let count = unsafe poll(&request, 1, -1)
      if count > 0 { return Int32(request.revents) & POLLHUP == 0 }
      guard count < 0, errno == EINTR else { return false }
    }
  }

  /// A connection that `waitForConnection` has announced; `nil` if its peer has left since.
  func accept() throws(TestSupportError) -> StreamSocket? {
    try withoutSpawning { () throws(TestSupportError) in
      let accepted = Glibc.accept(descriptor, nil, nil)
      guard accepted >= 0 else {
        guard errno == EAGAIN || errno == EINTR || errno == ECONNABORTED else { throw .last("accept") }
        return nil
      }
      setCloseOnExec(accepted)
      return StreamSocket(adopting: accepted)
    }
  }

  /// Ends the waits of the accepting thread. Linux answers new connections with RST from now on.
  func stop() {
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
  }
}
