package import TapelineLoop

extension SocketAddress {
  /// Whether connecting to `other` reaches a socket that listens on this address. An unspecified address stands for all of this machine's.
  package func covers(_ other: SocketAddress) -> Bool {
    let other = other.reached
    return reached == other || (isUnspecified && port == other.port && other.isOfThisMachine)
  }
}
