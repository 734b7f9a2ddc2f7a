internal import TapelineSystem

/// Replaces the end of a file in whole blocks and past the page cache (`O_DIRECT`), so that `SIGKILL` finds it written or not.
///
/// An ordinary write is copied page by page, and a fatal signal stops it between two pages: under load, one kill in thirty left
/// half of an entry behind. A direct write is given to the disk as a whole, and only when it has arrived does the file
/// become longer. The page cache does not grow by a log that nobody reads yet, either. Where the file system has no direct
/// writes, ordinary ones are made.
@safe
struct BlockWriter: ~Copyable {
  private let descriptor: Int32
  private var isDirect: Bool
  /// Owned; aligned as direct writes want it. Begins with the text of the block in which the text ends.
  private var buffer: UnsafeMutableRawPointer
  private(set) var capacity = usualCapacity
  /// Where the text ends: after this comes what closes it, and blanks up to the end of a block.
  private(set) var end = 0

  private static let blockSize = 4096
  private static let usualCapacity = 256 << 10
  /// A buffer that an unusually large write has made is given back after it: a hostile body shall not hold memory for good.
  private static let largestKeptCapacity = 4 << 20

  /// Takes an empty file; the descriptor stays the caller's.
  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    isDirect = SystemCalls.setDirect(true, of: descriptor)
    unsafe buffer = .allocate(byteCount: capacity, alignment: Self.blockSize)
  }

  deinit {
    unsafe buffer.deallocate()
  }

  /// Bytes of the file when `closing` ends it.
  func size(with closing: [UInt8]) -> Int {
    Self.wholeBlocks(end + closing.count + 1)
  }

  /// Adds text and what closes it in one write. After an error `restore` must follow.
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

  /// Puts back what closed the file before an append that failed. It takes no new room on the disk.
  mutating func restore(closing: [UInt8]) {
    let kept = end % Self.blockSize
    let size = Self.wholeBlocks(kept + closing.count + 1)
    reserve(size, keeping: kept)
    close(after: kept, closing: closing, upTo: size)
    do throws(SystemCallError) {
      try write(size, at: end - kept)
      try SystemCalls.truncate(descriptor, to: end - kept + size)
    } catch {
      // The append has failed and said so; the next one tries again.
    }
  }

  /// Cuts off the blanks.
  func trim(closing: [UInt8]) {
    do throws(SystemCallError) {
      try SystemCalls.truncate(descriptor, to: end + closing.count)
    } catch {
      // Blanks behind the text are allowed.
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

  /// Writes what closes the text into the buffer, then blanks, then a line end.
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
        // The file system took the flag and refuses the write, or wrote a part that is no whole block.
        isDirect = false
        _ = SystemCalls.setDirect(false, of: descriptor)
      }
    }
  }

  private static func wholeBlocks(_ size: Int) -> Int {
    (size + blockSize - 1) / blockSize * blockSize
  }
}
