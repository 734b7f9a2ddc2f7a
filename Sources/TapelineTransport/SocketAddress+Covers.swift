package import TapelineLoop

extension SocketAddress {
  /// Whether a socket that listens on this address is reached at `other`: the same address, or any of this machine's own when
  /// this one stands for all of them. Of those only the loopback ones are told apart from other machines' here.
  package func covers(_ other: SocketAddress) -> Bool {
    self == other || (isUnspecified && port == other.port && (other.isLoopback || other.isUnspecified))
  }
}
