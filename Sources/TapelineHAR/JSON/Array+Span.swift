extension [UInt8] {
  /// The bytes that were lent, to keep.
  init(copying bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe [UInt8]($0) }
  }
}
