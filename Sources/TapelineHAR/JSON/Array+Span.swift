extension [UInt8] {
  /// The octets that were lent, to keep.
  init(copying octets: Span<UInt8>) {
    self = unsafe octets.withUnsafeBufferPointer { unsafe [UInt8]($0) }
  }
}
