internal import CTapeline

extension SocketAddress {
  /// Whether a connection to this address reaches this machine: loopback, or an address of one of its interfaces.
  ///
  /// The kernel is asked each time, since interfaces come and go: packets to an address of ours have that address as their
  /// source.
  package var isOfThisMachine: Bool {
    let target = reached
    if target.isLoopback { return true }
    var name = target.fenced
    var source = tapeline_address()
    guard unsafe tapeline_source_address(&name, &source) == 0 else { return false }
    return SocketAddress(source).with(port: target.port) == target
  }
}
