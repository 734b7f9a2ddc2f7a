package import TapelineLoop

extension SocketAddress {
  /// Whether connecting to `other` reaches a socket that listens on this address. An unspecified address covers all of this
  /// machine's addresses.
  package func covers(_ other: SocketAddress) -> Bool {
    let other = other.reached
    return reached == other || (isUnspecified && port == other.port && other.isOfThisMachine)
  }
}
