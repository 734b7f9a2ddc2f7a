internal import CTapeline
internal import TapelineHAR
internal import TapelineSystem
internal import TapelineBase

/// Replaces the end of a file in whole blocks and past the page cache (`O_DIRECT`): a `SIGKILL` leaves a write whole or undone.
///
/// An ordinary write is copied page by page, and a fatal signal stops it between two pages: under load, one kill in thirty left a
/// partial entry in the file. A direct write goes to the disk as a whole, and the file becomes longer only after the write has
/// arrived. Besides, the page cache does not fill with a log that nobody reads yet. If the file system does not support direct
/// writes, ordinary ones are made.
///
/// The text is made where it is written from, in memory that is aligned as direct writes require.
struct BlockWriter: ~Copyable {
  private let descriptor: Int32
  private var isDirect: Bool
  /// The text from the beginning of the block in which the written text ends. Append what is to be written.
  var text = JSONWriter(capacity: usualCapacity, alignment: blockSize)
  /// The end of the written text: the closing and blanks up to the end of a block come after it.
  private(set) var end = 0

  private static let blockSize = 4096
  private static let usualCapacity = 256 << 10
  /// Memory that grew for an unusually large write is freed after it: a hostile body must not hold memory for good.
  private static let largestKeptCapacity = 4 << 20

  /// Takes an empty file; the caller keeps ownership of the descriptor.
  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    isDirect = SystemCalls.setDirect(true, of: descriptor)
  }

  /// Goes on behind the text of a file.
  ///
  /// - Parameter block: the text from the beginning of the block in which it ends.
  init(_ descriptor: Int32, end: Int, block: Span<UInt8>) {
    self.init(descriptor)
    self.end = end
    text.append(json: block)
  }

  static func blockStart(of end: Int) -> Int { end - end % blockSize }

  /// Bytes at the beginning of the text that are in the file already.
  private var kept: Int { end % Self.blockSize }

  /// Bytes of text that are not in the file yet.
  var waiting: Int { text.count - kept }

  /// The size of the file in bytes when `closing` ends it.
  func size(with closing: [UInt8]) -> Int {
    (end + closing.count + 1).roundedUp(toMultipleOf: Self.blockSize)
  }

  /// Writes the text that waits, and the closing after it, in one write. After an error, call `restore`.
  mutating func write(closing: [UInt8]) throws(SystemCallError) {
    try writeBlocks(closing: closing)
    end += waiting
    let mayKeep = text.capacity > Self.largestKeptCapacity ? Self.usualCapacity : text.capacity
    text.keepLast(kept, largestCapacity: mayKeep)
  }

  /// Restores the previous closing, which needs no new space on the disk. The text that waits goes on waiting.
  mutating func restore(closing: [UInt8]) {
    let waiting = text.withBytes { [UInt8](copying: $0.extracting(droppingFirst: kept)) }
    defer { text.append(json: waiting.span) }
    drop()
    do throws(SystemCallError) {
      try writeBlocks(closing: closing)
      try SystemCalls.truncate(descriptor, to: size(with: closing))
    } catch {
      // The write has already reported its failure; the next one tries again.
    }
  }

  /// Drops the text that waits.
  mutating func drop() {
    text.truncate(to: kept)
  }

  /// Cuts off what an earlier end has left behind the closing.
  func cut(closing: [UInt8]) throws(SystemCallError) {
    try SystemCalls.truncate(descriptor, to: size(with: closing))
  }

  /// Cuts off the blanks at the end.
  func trim(closing: [UInt8]) {
    do throws(SystemCallError) {
      try SystemCalls.truncate(descriptor, to: end + closing.count)
    } catch {
      // Blanks after the text are allowed.
    }
  }

  private mutating func writeBlocks(closing: [UInt8]) throws(SystemCallError) {
    let (descriptor, start) = (descriptor, end - kept)
    var isDirect = isDirect
    defer { self.isDirect = isDirect }
    try text.withBlocks(of: Self.blockSize, closing: closing.span) { blocks throws(SystemCallError) in
      try Self.write(blocks, to: descriptor, at: start, &isDirect)
    }
  }

  /// Writes in one call unless the system stops early.
  private static func write(
    _ blocks: Span<UInt8>, to descriptor: Int32, at offset: Int, _ isDirect: inout Bool
  ) throws(SystemCallError) {
    var written = 0
    while written < blocks.count {
      do throws(SystemCallError) {
        let rest = blocks.extracting(droppingFirst: written)
        tapeline_will_write()
        let count = try unsafe rest.withUnsafeBytes { bytes throws(SystemCallError) in
          try unsafe SystemCalls.write(descriptor, at: offset + written, from: bytes)
        }
        guard count > 0 else { throw SystemCallError(code: ErrorCode.noSpace, call: .pwrite) }
        written += count
      } catch  where error.code == ErrorCode.invalidArgument && isDirect {
        // The file system accepted the flag but refuses the write, or wrote a part that is not a whole block.
        isDirect = false
        _ = SystemCalls.setDirect(false, of: descriptor)
      }
    }
  }
}
