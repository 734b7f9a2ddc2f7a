internal import CTapeline

extension SocketAddress {
  /// Whether connecting to this address reaches this very machine: loopback, or an address of one of its interfaces.
  ///
  /// The kernel is asked now, since interfaces come and go: what is sent to an address of ours leaves from that address.
  package var isOfThisMachine: Bool {
    let target = reached
    if target.isLoopback { return true }
    var name = target.fenced
    var source = tapeline_address()
    guard unsafe tapeline_source_address(&name, &source) == 0 else { return false }
    return SocketAddress(source).with(port: target.port) == target
  }
}
