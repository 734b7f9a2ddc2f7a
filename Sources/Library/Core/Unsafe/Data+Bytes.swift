internal import FoundationEssentials

extension Data {
  /// A copy of borrowed bytes.
  init(copying bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe Data(buffer: $0) }
  }

  /// Appends borrowed bytes with one copy.
  mutating func append(bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append($0) }
  }
}
