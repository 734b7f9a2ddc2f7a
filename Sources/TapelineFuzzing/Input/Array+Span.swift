extension [UInt8] {
  /// Copies borrowed bytes.
  init(copying bytes: Span<UInt8>) {
    self.init()
    reserveCapacity(bytes.count)
    for index in bytes.indices { append(bytes[index]) }
  }
}
