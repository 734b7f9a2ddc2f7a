extension Array {
  /// Bytes of memory that the storage of the elements takes, with its head and the allocator's own.
  @inlinable
  public var memorySize: Int { capacity * MemoryLayout<Element>.stride + 48 }
}
