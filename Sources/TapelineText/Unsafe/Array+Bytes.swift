extension [UInt8] {
  /// Appends borrowed bytes with one copy.
  @inlinable
  package mutating func append(bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
