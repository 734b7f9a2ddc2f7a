extension [UInt8] {
  /// A copy of the borrowed bytes.
  init(copying bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe [UInt8]($0) }
  }
}
