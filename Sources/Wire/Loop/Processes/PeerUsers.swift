internal import TapelineSystem

/// Tells whose the programs of this machine are that have connected. Loop-bound: it asks one question at a time.
package final class PeerUsers {
  /// By which the kernel is asked. Owned; absent where the kernel answers no such questions.
  private let diagnostics: Int32?

  package init() {
    do throws(SystemCallError) {
      diagnostics = try SystemCalls.makeDiagnosticSocket()
    } catch {
      diagnostics = nil
    }
  }

  deinit {
    if let diagnostics { SystemCalls.discard(diagnostics) }
  }

  /// The user who holds the other end of an accepted connection, as the kernel knows it; `nil` if no process of this network
  /// does.
  ///
  /// - Parameter peer: `nil` for a local socket.
  package func user(of connection: Int32, from peer: SocketAddress?) -> UInt32? {
    do throws(SystemCallError) {
      guard let peer else { return try SystemCalls.peerUser(of: connection) }
      return TCPSocket.user(connecting: peer, to: try SystemCalls.localAddress(of: connection), askedBy: diagnostics)
    } catch {
      return nil
    }
  }
}
