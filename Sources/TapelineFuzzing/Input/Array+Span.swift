extension [UInt8] {
  /// The octets that were lent, to keep.
  init(copying octets: Span<UInt8>) {
    self.init()
    reserveCapacity(octets.count)
    for index in octets.indices { append(octets[index]) }
  }
}
