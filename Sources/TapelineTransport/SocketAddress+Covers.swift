package import TapelineLoop

extension SocketAddress {
  /// Whether connecting to `other` reaches a socket that listens on this address. Of an unspecified address, which stands for all
  /// of this machine's, only the loopback ones are told apart from other machines' here.
  package func covers(_ other: SocketAddress) -> Bool {
    let other = other.reached
    return reached == other || (isUnspecified && port == other.port && other.isLoopback)
  }
}
