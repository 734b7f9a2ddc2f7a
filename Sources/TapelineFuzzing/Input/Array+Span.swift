extension [UInt8] {
  /// The bytes that were lent, to keep.
  init(copying bytes: Span<UInt8>) {
    self.init()
    reserveCapacity(bytes.count)
    for index in bytes.indices { append(bytes[index]) }
  }
}
