package import TapelineLoop

/// The sockets of a network whose programs are recorded. They stay the caller's, and are open until the server has shut down.
package struct NetworkSockets: Sendable {
  /// Listen, and accept connections to any destination.
  package let listeners: [Int32]
  /// Has the queue of the packets that open connections; `nil`: connections are accepted at once.
  package let packets: Int32?
  /// Is asked for the sockets of the network's programs (`SystemCalls.makeDiagnosticSocket`); `nil`: they stay unknown.
  package let diagnostics: Int32?
  /// Receive questions to name servers.
  package let names: [Int32]
  /// Whom to ask instead of the name server that a question was sent to.
  package let nameServer: SocketAddress?

  package init(
    listeners: [Int32], packets: Int32?, diagnostics: Int32?, names: [Int32], nameServer: SocketAddress?
  ) {
    self.listeners = listeners
    self.packets = packets
    self.diagnostics = diagnostics
    self.names = names
    self.nameServer = nameServer
  }
}
