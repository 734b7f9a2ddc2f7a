internal import TapelineSystem

/// Replaces the end of a file in whole blocks and past the page cache (`O_DIRECT`): a `SIGKILL` leaves a write whole or undone.
///
/// An ordinary write is copied page by page, and a fatal signal stops it between two pages: under load, one kill in thirty left a
/// partial entry in the file. A direct write goes to the disk as a whole, and the file becomes longer only after the write has
/// arrived. Besides, the page cache does not fill with a log that nobody reads yet. If the file system does not support direct
/// writes, ordinary ones are made.
@safe
struct BlockWriter: ~Copyable {
  private let descriptor: Int32
  private var isDirect: Bool
  /// Owned; aligned as direct writes require. It begins with the text of the block in which the text ends.
  private var buffer: UnsafeMutableRawPointer
  private(set) var capacity = usualCapacity
  /// The end of the text: the closing and blanks up to the end of a block come after it.
  private(set) var end = 0

  private static let blockSize = 4096
  private static let usualCapacity = 256 << 10
  /// A buffer that grew for an unusually large write is freed after it: a hostile body must not hold memory for good.
  private static let largestKeptCapacity = 4 << 20

  /// Takes an empty file; the caller keeps ownership of the descriptor.
  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    isDirect = SystemCalls.setDirect(true, of: descriptor)
    unsafe buffer = .allocate(byteCount: capacity, alignment: Self.blockSize)
  }

  deinit {
    unsafe buffer.deallocate()
  }

  /// The size of the file in bytes when `closing` ends it.
  func size(with closing: [UInt8]) -> Int {
    Self.wholeBlocks(end + closing.count + 1)
  }

  /// Writes text and the closing after it in one write. After an error, call `restore`.
  mutating func append(_ text: Span<UInt8>, closing: [UInt8]) throws(SystemCallError) {
    let kept = end % Self.blockSize
    let size = Self.wholeBlocks(kept + text.count + closing.count + 1)
    reserve(size, keeping: kept)
    unsafe text.withUnsafeBytes {
      unsafe UnsafeMutableRawBufferPointer(start: buffer + kept, count: $0.count).copyMemory(from: $0)
    }
    close(after: kept + text.count, closing: closing, upTo: size)
    try write(size, at: end - kept)
    end += text.count
    // The block in which the text now ends is the first of the next write.
    let rest = end % Self.blockSize
    unsafe buffer.copyMemory(from: buffer + (kept + text.count - rest), byteCount: rest)
    if capacity > Self.largestKeptCapacity { resize(to: Self.usualCapacity, keeping: rest) }
  }

  /// Restores the previous closing after a failed append. This needs no new space on the disk.
  mutating func restore(closing: [UInt8]) {
    let kept = end % Self.blockSize
    let size = Self.wholeBlocks(kept + closing.count + 1)
    reserve(size, keeping: kept)
    close(after: kept, closing: closing, upTo: size)
    do throws(SystemCallError) {
      try write(size, at: end - kept)
      try SystemCalls.truncate(descriptor, to: end - kept + size)
    } catch {
      // The append has already reported its failure; the next append tries again.
    }
  }

  /// Cuts off the blanks at the end.
  func trim(closing: [UInt8]) {
    do throws(SystemCallError) {
      try SystemCalls.truncate(descriptor, to: end + closing.count)
    } catch {
      // Blanks after the text are allowed.
    }
  }

  private mutating func reserve(_ size: Int, keeping kept: Int) {
    guard size > capacity else { return }
    resize(to: Self.wholeBlocks(max(size, 2 * capacity)), keeping: kept)
  }

  private mutating func resize(to newCapacity: Int, keeping kept: Int) {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: Self.blockSize)
    unsafe memory.copyMemory(from: buffer, byteCount: kept)
    unsafe buffer.deallocate()
    unsafe buffer = memory
    capacity = newCapacity
  }

  /// Writes the closing into the buffer, then blanks, then a line end.
  private func close(after offset: Int, closing: [UInt8], upTo size: Int) {
    unsafe closing.withUnsafeBytes {
      unsafe UnsafeMutableRawBufferPointer(start: buffer + offset, count: $0.count).copyMemory(from: $0)
    }
    unsafe (buffer + offset + closing.count).initializeMemory(
      as: UInt8.self, repeating: 0x20, count: size - offset - closing.count)
    unsafe buffer.storeBytes(of: UInt8(ascii: "\n"), toByteOffset: size - 1, as: UInt8.self)
  }

  /// Writes the start of the buffer, in one call unless the system stops early.
  private mutating func write(_ size: Int, at offset: Int) throws(SystemCallError) {
    var written = 0
    while written < size {
      do throws(SystemCallError) {
        let rest = unsafe UnsafeRawBufferPointer(start: buffer + written, count: size - written)
        let count = try unsafe SystemCalls.write(descriptor, at: offset + written, from: rest)
        guard count > 0 else { throw SystemCallError(code: ErrorCode.noSpace, call: .pwrite) }
        written += count
      } catch  where error.code == ErrorCode.invalidArgument && isDirect {
        // The file system accepted the flag but refuses the write, or wrote a part that is not a whole block.
        isDirect = false
        _ = SystemCalls.setDirect(false, of: descriptor)
      }
    }
  }

  private static func wholeBlocks(_ size: Int) -> Int {
    (size + blockSize - 1) / blockSize * blockSize
  }
}
