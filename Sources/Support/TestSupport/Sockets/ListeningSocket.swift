internal import CTapeline
internal import TapelineSystem

/// Owns one listening TCP socket on an ephemeral loopback port.
final class ListeningSocket: Sendable {
  private let descriptor: Int32
  let port: UInt16

  init(on loopback: Loopback, port wanted: UInt16 = 0, backlog: Int32) throws(TestSupportError) {
    do throws(SystemCallError) {
      let address = loopback.socketAddress(port: wanted)
      let descriptor = try SystemCalls.makeSocket(isIPv6: address.is_ipv6)
      do throws(SystemCallError) {
        try SystemCalls.setReuseAddress(descriptor)
        try SystemCalls.bind(descriptor, to: address)
        try SystemCalls.listen(descriptor, backlog: backlog)
        port = try SystemCalls.localName(of: descriptor).port
      } catch {
        SystemCalls.discard(descriptor)
        throw error
      }
      self.descriptor = descriptor
    } catch {
      throw TestSupportError(error)
    }
  }

  deinit {
    SystemCalls.discard(descriptor)
  }

  /// Waits, without a limit, until a connection can be accepted; `false` once `stop` was called.
  func waitForConnection() -> Bool {
    var requests = [PollRequest(.readable, on: descriptor)]
    // Signals end a wait early.
    while !SystemCalls.poll(&requests, milliseconds: nil) {}
    return !requests[0].isHungUp
  }

  /// A connection that `waitForConnection` has announced; `nil` if its peer has left since.
  func accept() throws(TestSupportError) -> StreamSocket? {
    do throws(SystemCallError) {
      var peer = tapeline_address()
      return try SystemCalls.accept(descriptor, peer: &peer).map { StreamSocket(adopting: $0) }
    } catch {
      throw TestSupportError(error)
    }
  }

  /// Ends the waits of the accepting thread. Linux answers new connections with RST from now on.
  func stop() {
    do throws(SystemCallError) {
      try SystemCalls.shutdown(descriptor)
    } catch {
      // It does not listen any more.
    }
  }
}
