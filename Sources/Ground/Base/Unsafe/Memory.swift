public import Glibc

// libc's searches and comparisons, which are faster than any loop: every head that is parsed uses them.

extension Span<UInt8> {
  /// The first position of `byte` at or after `start`; `nil` if there is no such byte.
  @inlinable
  public func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    unsafe withUnsafeBytes { bytes in
      guard start < bytes.count, let base = bytes.baseAddress,
        let found = unsafe memchr(base + start, Int32(byte), bytes.count - start)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - base
    }
  }
}

extension UnsafePointer<UInt8> {
  /// Whether `count` bytes at both positions are the same.
  @inlinable
  public func hasSameBytes(as other: UnsafePointer<UInt8>, count: Int) -> Bool {
    unsafe memcmp(self, other, count) == 0
  }
}

extension Span<UInt8> {
  /// Whether both have the same bytes.
  @inlinable
  public func equals(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    return unsafe withUnsafeBufferPointer { left in
      unsafe other.withUnsafeBufferPointer { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return true }
        return unsafe left.hasSameBytes(as: right, count: count)
      }
    }
  }
}
